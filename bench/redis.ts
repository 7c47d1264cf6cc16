// The speed of Redis itself on this machine, by its own redis-benchmark: reading a key, and appending to a stream as
// the journal does. `node --import tsx bench/redis.ts`
import { execFileSync } from 'node:child_process';
import { startRedis } from '../test/support/stores.ts';

const CONNECTIONS = '64';
const REQUESTS = '100000';
/** About the length of a journal entry. */
const ENTRY = 'x'.repeat(900);

const store = await startRedis();
try {
  const xadd = ['XADD', 'journal', 'MAXLEN', '~', '10000', '*', 'e', ENTRY];
  console.log(JSON.stringify({ redis: { getPerSecond: perSecond('-t', 'get'), xaddPerSecond: perSecond(...xadd) } }));
} finally {
  await store.kill();
}

/** Requests a second, from the tool's CSV: a line of names, then a line of values. */
function perSecond(...what: readonly string[]): number {
  const args = ['-p', String(store.port), '-c', CONNECTIONS, '-n', REQUESTS, '--csv', ...what];
  const lines = execFileSync('redis-benchmark', args, { encoding: 'utf8' }).trim().split('\n');
  const value = /^"[^"]*(?:""[^"]*)*","([\d.]+)"/.exec(lines.at(-1) ?? '')?.[1];
  if (value === undefined) throw new Error(`redis-benchmark said: ${lines.join('\n')}`);
  return Math.round(Number(value));
}
