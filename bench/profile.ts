// CPU profiles of the API and the actors while 64 accounts trade: V8's sampling profiles of both, and the shares of
// CPU time by function. The profiles open as flame graphs in any browser's developer tools. `node --import tsx
// bench/profile.ts [folder]`
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders } from './support/iocOrders.ts';
import { drive, round } from './support/load.ts';

const CONNECTIONS = 64;
/** Long enough that the compilers' warm-up and the start are a small part of it. */
const SECONDS = 25;
const ROWS_SHOWN = 40;

interface Frame {
  readonly functionName: string;
  readonly url: string;
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'paper-profiles-'));
const result: Record<string, unknown> = { folder };
for (const role of ['api', 'actors'] as const) {
  const dir = join(folder, role);
  const stack = await startExchange({ nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${dir}`, '--cpu-prof-interval=1000'] });
  try {
    const accounts = await registerAccounts(stack, CONNECTIONS);
    const { requests } = await drive(
      stack.baseUrl,
      accounts.map((one) => new IocOrders(stack.baseUrl, one)),
      SECONDS,
    );
    // A profile is written when its process ends by itself.
    await stack.kill(`${role}-0`, 'SIGTERM');
    const [file] = readdirSync(dir).filter((name) => name.endsWith('.cpuprofile'));
    result[role] = { requests, ...sharesOf(JSON.parse(readFileSync(join(dir, file ?? ''), 'utf8')) as Profile) };
  } finally {
    await stack.stop();
  }
}
console.log(JSON.stringify(result, undefined, 2));

/** Percent of the busy time: in the function itself, and in it and all that it calls. */
function sharesOf({ nodes, samples, timeDeltas }: Profile): { self: Record<string, number>; inclusive: Record<string, number> } {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const self = new Map<string, number>();
  const inclusive = new Map<string, number>();
  let busy = 0;
  for (const [i, id] of samples.entries()) {
    const micros = timeDeltas[i] ?? 0;
    const name = nameOf(byId.get(id)?.callFrame);
    if (name === '(idle)') continue;
    busy += micros;
    self.set(name, (self.get(name) ?? 0) + micros);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = nameOf(byId.get(at)?.callFrame);
      if (!seen.has(above)) inclusive.set(above, (inclusive.get(above) ?? 0) + micros);
      seen.add(above);
    }
  }
  return { self: largest(self, busy), inclusive: largest(inclusive, busy) };
}

function nameOf({ functionName, url }: Frame = { functionName: '', url: '' }): string {
  return url === '' ? functionName : `${functionName || '(anonymous)'} ${basename(url)}`;
}

function largest(times: ReadonlyMap<string, number>, busy: number): Record<string, number> {
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, ROWS_SHOWN);
  return Object.fromEntries(sorted.map(([name, micros]) => [name, round((100 * micros) / busy, 1)]));
}
