// Which processes of a deployment are alive, and which generations they read: each announces itself.
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { type Announcement, SILENT_MS } from './membership.ts';
import { redisTimeMs } from './redisTime.ts';

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
