// Installs a program with the system's own package manager, where that is allowed: as root, or with a sudo that asks for
// no password. Each installation is one visible line.
import { findProgram, runToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
import { sayDoing } from './say.mjs';

/** @typedef {'redis' | 'jdk' | 'maven' | 'venv' | 'openssl' | 'prometheus' | 'grafana' | 'chromium'} Part */

/**
 * Per manager: how to install, and what each part is called there; the first name that can be had is taken.
 * @type {readonly { program: string, refresh?: readonly string[], install: readonly string[], names: Record<Part, readonly string[]> }[]}
 */
const MANAGERS = [
  {
    program: 'apt-get',
    refresh: ['update', '-qq'],
    install: ['install', '-y', '-qq', '--no-install-recommends'],
    names: {
      redis: ['redis-server'],
      jdk: ['openjdk-17-jdk-headless', 'openjdk-21-jdk-headless', 'default-jdk-headless'],
      maven: ['maven'],
      venv: ['python3-venv'],
      openssl: ['openssl'],
      prometheus: ['prometheus'],
      grafana: ['grafana'],
      chromium: ['chromium'],
    },
  },
  {
    program: 'dnf',
    install: ['install', '-y', '-q'],
    names: {
      redis: ['redis', 'valkey-compat-redis'],
      jdk: ['java-17-openjdk-devel', 'java-21-openjdk-devel'],
      maven: ['maven'],
      venv: ['python3'],
      openssl: ['openssl'],
      prometheus: ['prometheus', 'golang-github-prometheus'],
      grafana: ['grafana'],
      chromium: ['chromium'],
    },
  },
  {
    program: 'apk',
    install: ['add', '--no-cache'],
    names: {
      redis: ['redis'],
      jdk: ['openjdk17-jdk', 'openjdk21-jdk'],
      maven: ['maven'],
      venv: ['python3'],
      openssl: ['openssl'],
      prometheus: ['prometheus'],
      grafana: ['grafana'],
      chromium: ['chromium'],
    },
  },
];

/**
 * @param {Part} part
 * @param {string} what the name that a person reads
 * @param {{ logFile: string, signal: AbortSignal }} options
 * @returns {Promise<boolean>} whether it is installed now
 */
export async function installPart(part, what, { logFile, signal }) {
  const manager = MANAGERS.find(({ program }) => findProgram(program));
  const asRoot = await rootPrefix(signal);
  if (!manager || !asRoot) return false;
  sayDoing(`Installing ${what} with ${manager.program} (once)`);
  const options = { cwd: PROJECT_DIR, logFile, signal, env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' } };
  /** @param {readonly string[]} args */
  const run = (args) => {
    const [program, ...rest] = /** @type {[string, ...string[]]} */ ([...asRoot, manager.program, ...args]);
    return runToEnd(program, rest, options);
  };
  if (manager.refresh) await run(manager.refresh); // an old list may do; if not, the installation says so
  for (const name of manager.names[part]) {
    if ((await run([...manager.install, name])).ok) return true;
  }
  return false;
}

/**
 * The words before a command that run it as root.
 * @param {AbortSignal} signal
 * @returns {Promise<readonly string[] | undefined>} undefined: it is not allowed
 */
async function rootPrefix(signal) {
  if (process.getuid?.() === 0) return [];
  if (!findProgram('sudo')) return undefined;
  const { ok } = await runToEnd('sudo', ['-n', 'true'], { cwd: PROJECT_DIR, signal });
  return ok ? ['sudo', '-n', '--preserve-env=DEBIAN_FRONTEND,RUNLEVEL'] : undefined;
}
