// The dashboard as it was built: its page and its assets, read once at start. The page is the same for every address of the
// dashboard; what it shows comes from the public API.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageHeaders } from '../http/pages.ts';
import { StaticFile } from '../http/staticFile.ts';

/** Where the build puts it; a server that runs from `src` shows the same. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/dashboard/' : './dashboard/', import.meta.url),
);

/** A name with a hash of the content never changes what it names. */
const ASSETS_KEPT_SECONDS = 31_536_000;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

export interface DashboardFiles {
  readonly page: StaticFile;
  /** By path: `/scripts/…`, `/styles/…`. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/**
 * @param publicUrl where users see this deployment: the page connects there only
 * @throws Error when the dashboard has not been built
 */
export function readDashboard(publicUrl: string): DashboardFiles {
  let names: string[];
  try {
    names = ['scripts', 'styles'].flatMap((folder) => readdirSync(join(FOLDER, folder)).map((name) => `${folder}/${name}`));
  } catch (cause) {
    throw new Error('The dashboard has not been built: run "npm run build", or set DASHBOARD=off.', { cause });
  }
  const socket = new URL(publicUrl).origin.replace(/^http/, 'ws');
  const headers = {
    ...pageHeaders({ script: "'self'", style: "'self'", img: "'self' data:", connect: `'self' ${socket}` }, { isStrict: true }),
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  const fileOf = (path: string, options: { maxAgeSeconds?: number; headers?: Readonly<Record<string, string>> }): StaticFile => {
    const content = readFileSync(join(FOLDER, path));
    return new StaticFile({ type: TYPES[extname(path)] ?? 'text/html; charset=utf-8', read: () => content, ...options });
  };
  return {
    page: fileOf('index.html', { headers }),
    assets: new Map(names.map((name) => [`/${name}`, fileOf(name, { maxAgeSeconds: ASSETS_KEPT_SECONDS })])),
  };
}
