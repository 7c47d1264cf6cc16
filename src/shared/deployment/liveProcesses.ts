// Which processes of a deployment are alive, and which generations they read. Processes of this build and later ones
// announce themselves. Older ones do not, but each of them names its connections to Redis after itself.
import { clientLists } from '../redis/clientLists.ts';
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
  /** False for a process of an older build: it reads and writes the first generation. */
  readonly announced: boolean;
}

/** Connections that are no process of the deployment: operators' commands, and those of BullMQ and ioredis, whose process has others. */
const NO_PROCESS = /^(admin$|\{bull\}|ioredis-cluster\()/;
/** What a role's own connections are called after the process's name. */
const ROLE_OF: Readonly<Record<string, string>> = { replies: 'api', actors: 'actors', jobs: 'jobs' };

/** Every process that lives, by name. */
export async function liveProcesses(redis: Redis): Promise<LiveProcess[]> {
  const [said, nowMs, connections] = await Promise.all([
    redis.hgetall(deploymentKeys.processes),
    redisTimeMs(redis),
    clientLists(redis),
  ]);
  const announced = Object.entries(said).flatMap(([name, value]) => readAnnouncement(name, value, nowMs));
  const silent = silentProcesses(connections.map(({ list }) => list).join(''), new Set(Object.keys(said)));
  return [...announced, ...silent].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The processes that announce themselves and live. */
export async function liveNames(redis: Redis): Promise<readonly Pick<LiveProcess, 'name' | 'roles'>[]> {
  const [said, nowMs] = await Promise.all([redis.hgetall(deploymentKeys.processes), redisTimeMs(redis)]);
  return Object.entries(said).flatMap(([name, value]) => readAnnouncement(name, value, nowMs));
}

function readAnnouncement(name: string, value: string, nowMs: number): LiveProcess[] {
  const gap = value.indexOf(' ');
  if (nowMs - Number(value.slice(0, gap)) > SILENT_MS) return [];
  const { roles, reads, writes } = JSON.parse(value.slice(gap + 1)) as Announcement;
  return [{ name, announced: true, roles, reads, writes }];
}

/**
 * Processes that have connections and have said nothing.
 * @param connections Redis's answer to CLIENT LIST
 * @param known names of processes that have said something, now or a while ago
 */
export function silentProcesses(connections: string, known: ReadonlySet<string>): LiveProcess[] {
  const roles = new Map<string, Set<string>>();
  for (const connection of connections.trim().split('\n')) {
    const fields = new Map(connection.split(' ').map((field) => field.split('=') as [string, string]));
    const name = fields.get('name') ?? '';
    // Redis 7.2 and later tell which library made a connection: other programs have other ones.
    const library = fields.get('lib-name') ?? '';
    if (name === '' || NO_PROCESS.test(name) || (library !== '' && !library.startsWith('ioredis'))) continue;
    const at = name.lastIndexOf(':');
    const [node, use] = at === -1 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)];
    if (known.has(node) || known.has(name)) continue;
    const ofNode = roles.get(node) ?? new Set();
    const role = ROLE_OF[use];
    if (role !== undefined) ofNode.add(role);
    roles.set(node, ofNode);
  }
  return [...roles].map(([name, ofNode]) => ({
    ...{ name, reads: 1, writes: 1, announced: false },
    // A process without connections of its own beside the first one is the market's.
    roles: ofNode.size === 0 ? ['market'] : [...ofNode].sort(),
  }));
}
