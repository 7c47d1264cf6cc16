// The packages of other machines that package-lock.json has to name. A registry that does not serve them makes npm leave
// them out, and `npm ci` then refuses the lock file on every machine. Their versions stand in the packages that want them; their
// names say on which machines they run. They have no integrity here, because their content is unknown.
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
}

/** Packages by their folders. */
export type Locked = Readonly<Record<string, LockedPackage>>;

/**
 * The same with what is missing, in the order of folders.
 * @throws Error for a package that names no single version, or does not say what it runs on
 */
export function completed(packages: Locked): Locked {
  const all: Record<string, LockedPackage> = { ...packages };
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isFound(packages, path, name)) continue;
      if (!EXACT.test(version)) throw new Error(`${name} ${version}, wanted by ${path}, names no single version.`);
      all[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...machineOf(name) };
    }
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Node looks for packages: beside the package that wants it, then outwards. */
function isFound(packages: Locked, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

/** @param name e.g. `@biomejs/cli-linux-x64-musl` */
function machineOf(name: string): Pick<LockedPackage, 'cpu' | 'os' | 'libc'> {
  const words = (name.split('/').at(-1) ?? name).split('-');
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not say what it runs on.`);
  const last = words.at(-1) ?? '';
  const libc = last.startsWith('musl') ? 'musl' : last.startsWith('gnu') ? 'glibc' : undefined;
  return { cpu: [cpu], os: [os], ...(libc && { libc: [libc] }) };
}
