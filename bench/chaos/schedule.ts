// The schedule of one round: faults of a fleet with their times. The seed of the round decides the whole schedule before the round
// begins.
import type { Random } from '../../test/support/faults/seeds.ts';

export const STORES = ['redis', 'mongo'] as const;
export type StoreName = (typeof STORES)[number];

export type Fault =
  /** kill -9, and a new start after a pause. */
  | { readonly type: 'kill'; readonly process: string; readonly backMs: number }
  /** SIGTERM, and a new start. */
  | { readonly type: 'leave'; readonly process: string; readonly backMs: number }
  /** SIGSTOP, and SIGCONT: mostly after its leases have run out. */
  | { readonly type: 'sleep'; readonly process: string; readonly forMs: number }
  /** The connections that it has to a store lead nowhere from now on, without a word. */
  | { readonly type: 'blackHole'; readonly process: string; readonly store: StoreName }
  | { readonly type: 'clock'; readonly process: string; readonly aheadMs: number; readonly forMs: number }
  | { readonly type: 'killStore'; readonly store: StoreName; readonly backMs: number }
  /** The store does nothing for a while, as one whose disk does not answer. */
  | { readonly type: 'stall'; readonly store: StoreName; readonly forMs: number }
  /** The way to it takes so long, in each direction. */
  | { readonly type: 'slow'; readonly store: StoreName; readonly delayMs: number; readonly forMs: number }
  /** Nobody reaches it, and connections break. */
  | { readonly type: 'away'; readonly store: StoreName; readonly forMs: number }
  /** For a moment all its messages are lost, then all its connections break. */
  | { readonly type: 'cut'; readonly store: StoreName; readonly losesForMs: number }
  /** A slot of a cluster goes to another node, while all its keys are in use. */
  | { readonly type: 'moveSlot'; readonly shard: number; readonly to: number }
  /** A master of a cluster is killed; its replica takes over. */
  | { readonly type: 'killMaster'; readonly node: number };

export type FaultType = Fault['type'];

export interface Scheduled {
  /** After the begin of the round. */
  readonly atMs: number;
  readonly fault: Fault;
}

/** The parts of a fleet that can break. */
export interface Targets {
  readonly processes: readonly string[];
  readonly shards: number;
  /** Masters of the cluster; 0 = one server. */
  readonly masters: number;
}

/** Faults begin within so long. */
const FAULTS_WITHIN_MS = 4500;
const FAULTS_MIN = 2;
const FAULTS_MAX = 5;

/** How often each is drawn, among all. */
const WEIGHTS: Readonly<Record<FaultType, number>> = {
  ...{ kill: 5, leave: 2, sleep: 4, blackHole: 3, clock: 2 },
  ...{ killStore: 2, stall: 2, slow: 2, away: 2, cut: 3 },
  ...{ moveSlot: 4, killMaster: 2 },
};

/** Of a cluster only nodes and slots are broken, and processes: no single Redis stands for it. */
const CLUSTER_TYPES: readonly FaultType[] = ['kill', 'leave', 'sleep', 'clock', 'moveSlot', 'killMaster'];
const SERVER_TYPES: readonly FaultType[] = Object.keys(WEIGHTS).filter(
  (type) => type !== 'moveSlot' && type !== 'killMaster',
) as FaultType[];

export function scheduleOf(random: Random, targets: Targets): Scheduled[] {
  const types = targets.masters > 0 ? CLUSTER_TYPES : SERVER_TYPES;
  const drawn = types.flatMap((type) => Array<FaultType>(WEIGHTS[type]).fill(type));
  const count = random.whole(FAULTS_MIN, FAULTS_MAX);
  const schedule = Array.from({ length: count }, () => ({
    atMs: random.whole(0, FAULTS_WITHIN_MS),
    fault: draw(random, random.pick(drawn), targets),
  }));
  const inOrder = schedule.toSorted((a, b) => a.atMs - b.atMs);
  // A master that has died has no replica left for another death in the same round.
  const deaths = inOrder.filter(({ fault }) => fault.type === 'killMaster').slice(1);
  return inOrder.filter((one) => !deaths.includes(one));
}

function draw(random: Random, type: FaultType, { processes, shards, masters }: Targets): Fault {
  const process = random.pick(processes);
  const store = random.pick(STORES);
  switch (type) {
    case 'kill':
    case 'leave':
      return { type, process, backMs: random.whole(0, 1500) };
    case 'sleep':
      return { type, process, forMs: random.whole(300, 3000) };
    case 'blackHole':
      return { type, process, store };
    case 'clock':
      return { type, process, aheadMs: random.pick([3_600_000, -10_000, 1500, -1500]), forMs: random.whole(500, 3000) };
    case 'killStore':
      return { type, store, backMs: random.whole(0, 1500) };
    case 'stall':
      return { type, store, forMs: random.whole(100, 2500) };
    case 'slow':
      return { type, store, delayMs: random.whole(5, store === 'redis' ? 40 : 150), forMs: random.whole(500, 3000) };
    case 'away':
      return { type, store, forMs: random.whole(100, 2000) };
    case 'cut':
      return { type, store, losesForMs: random.chance(0.6) ? random.whole(1, 60) : 0 };
    case 'moveSlot':
      return { type, shard: random.whole(0, shards - 1), to: random.whole(0, masters - 1) };
    default:
      return { type: 'killMaster', node: random.whole(0, masters - 1) };
  }
}

/** In one word or two, for the line of a round. */
export function textOf({ atMs, fault }: Scheduled): string {
  const { type, ...rest } = fault;
  const what = Object.values(rest).filter((value) => typeof value === 'string');
  const figures = Object.values(rest).filter((value) => typeof value === 'number');
  return `${(atMs / 1000).toFixed(1)}s ${[type, ...what].join(' ')} ${figures.join('/')}`.trim();
}
