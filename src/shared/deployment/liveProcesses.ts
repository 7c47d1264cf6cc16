// The announcements of a deployment's processes: the live processes, the generations that each process reads, and the machines with a
// wrong clock.
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';
import { type Announcement, SILENT_MS } from './membership.ts';

export interface LiveProcess {
  readonly name: string;
  readonly roles: readonly string[];
  /** The newest generation that it reads. */
  readonly reads: number;
  readonly writes: number;
}

/** Every process that lives, by name. */
export async function liveProcesses(redis: Redis): Promise<LiveProcess[]> {
  const [said, nowMs] = await Promise.all([redis.hgetall(deploymentKeys.processes), redisTimeMs(redis)]);
  const alive = Object.entries(said).flatMap(([name, value]) => readAnnouncement(name, value, nowMs));
  return alive.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readAnnouncement(name: string, value: string, nowMs: number): LiveProcess[] {
  const gap = value.indexOf(' ');
  if (nowMs - Number(value.slice(0, gap)) > SILENT_MS) return [];
  const { roles, reads, writes } = JSON.parse(value.slice(gap + 1)) as Announcement;
  return [{ name, roles, reads, writes }];
}

/**
 * Which machines of a deployment have a wrong clock, in words for its operators. Each process compares its own with Redis's and announces
 * what it finds.
 * @param processes the hash `{deployment}:processes`: process -> `<ms> <JSON>`
 */
export function wrongClocks(processes: Readonly<Record<string, string>>): string[] {
  return Object.entries(processes).flatMap(([name, value]) => {
    const { clockAheadMs } = JSON.parse(value.slice(value.indexOf(' ') + 1)) as Announcement;
    if (clockAheadMs === undefined) return [];
    const seconds = (Math.abs(clockAheadMs) / 1000).toFixed(1);
    return [`The clock of ${name}’s machine is ${seconds} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} Redis’s`];
  });
}

// The clock that all processes share, asked for once. On a cluster each node has a clock, and TIME is answered by any: the one that counts
// is that of the node of the deployment's record, by which every process keeps its time (exchangeClock.ts).

const timeScript = new Script(
  'redisTime',
  `
-- Tells the time of the node of a key.
-- KEYS  the deployment's record.
-- Answers seconds since the epoch, microseconds.
-- A script because TIME has no key, and goes to any node.
return redis.call('TIME')
`,
);

/** Ms since the epoch, whole. */
export async function redisTimeMs(redis: Redis): Promise<number> {
  const [seconds, micros] = (await timeScript.run(redis, [deploymentKeys.record], [])) as [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
