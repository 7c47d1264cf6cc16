// A Sentinel process for tests: it watches one master and makes its replica the master on a command.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Certificates } from './certificates.ts';
import { type Guard, guard } from './guard.ts';
import { freePort } from './ports.ts';
import { makeDir, openRedis, tlsSettings } from './stores.ts';
import { until } from './until.ts';

export interface Sentinel {
  readonly port: number;
  readonly tlsPort: number | undefined;
  readonly connection: Redis;
  stop(): Promise<void>;
}

/**
 * @param options.password of the servers; `options.ownPassword` of the Sentinel itself
 * @param options.certificates then it speaks TLS with the servers, at `masterPort`, and at `tlsPort`
 */
export async function startSentinel(options: {
  master: string;
  masterPort: number;
  password: string;
  ownPassword: string;
  certificates?: Certificates;
  replicas?: number;
}): Promise<Sentinel> {
  const { master, masterPort, password, ownPassword, certificates, replicas = 1 } = options;
  const tlsPort = certificates && (await freePort());
  const [port, dir] = [await freePort(), makeDir('sentinel')];
  const file = join(dir, 'sentinel.conf');
  const tls = certificates && { ...tlsSettings(certificates, tlsPort ?? 0), 'tls-replication': 'yes' };
  const lines = [
    ...Object.entries(tls ?? {}).map(([name, value]) => `${name} ${value}`),
    ...[`port ${port}`, `dir ${dir}`, 'bind 127.0.0.1', `requirepass ${ownPassword}`],
    ...[`sentinel monitor ${master} 127.0.0.1 ${masterPort} 1`, `sentinel auth-pass ${master} ${password}`],
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const guarded = guard(child.pid as number);
  const connection = openRedis(`redis://127.0.0.1:${port}`, { password: ownPassword, maxRetriesPerRequest: null });
  await connection.ping();
  // It knows the replica by what the master says of it.
  await until(async () => ((await connection.call('SENTINEL', 'REPLICAS', master)) as unknown[]).length >= replicas);
  return { port, tlsPort, connection, stop: () => end(child, guarded, connection) };
}

async function end(child: ChildProcess, guarded: Guard, connection: Redis): Promise<void> {
  connection.disconnect();
  guarded.release();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
