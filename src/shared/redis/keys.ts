// Names every Redis key and channel of the service; docs/data.md describes each of them. All keys of a shard carry
// its hash tag, so one script call stays atomic in Redis Cluster too.

const shardTags: string[] = [];

/** Hash tag of a shard, e.g. `{s07}`. */
export function shardTag(shard: number): string {
  shardTags[shard] ??= `{s${String(shard).padStart(2, '0')}}`;
  return shardTags[shard];
}

/** Used in place of an account id for the shard's own mailbox, which holds the commands of jobs. */
export const SHARD_MAILBOX = '_shard';

/** Field of a shard's jobs: what its newest funding settlement waits for (src/jobs/domain/fundingPeriod.ts). */
export const FUNDING_WAITS = 'funding-waits';

export const shardKeys = {
  /** Stream of one account's commands, or of the shard's own when `accountId` is `SHARD_MAILBOX`. */
  commands: (shard: number, accountId: string): string => `${shardTag(shard)}:cmd:${accountId}`,
  /** Hash job name -> the last period (ms) for which the job has written the shard a command; and `FUNDING_WAITS`. */
  jobs: (shard: number): string => `${shardTag(shard)}:jobs`,
  /** Set of accounts with waiting commands. The truth; swept, never popped. */
  pending: (shard: number): string => `${shardTag(shard)}:pending`,
  /** Counter that numbers the shard's commands: the id of a command's stream entry is `<number>-0`, never used twice. */
  sequence: (shard: number): string => `${shardTag(shard)}:seq`,
  /** Channel on which a submit tells the owner which accounts have become pending, with the command at their head. */
  wakeup: (shard: number): string => `${shardTag(shard)}:bell`,
  /** Stream of commits with events; the id of an entry is `<commit number>-0`. */
  journal: (shard: number): string => `${shardTag(shard)}:journal`,
  /** Lease token `epoch:podId:random`, with a TTL. */
  lease: (shard: number): string => `${shardTag(shard)}:lease`,
  /**
   * Hash of the last commit: `n` commit number, `epoch`, `ids` id counter, `tick` tick position, `atMs`; and what the owner says of itself.
   */
  head: (shard: number): string => `${shardTag(shard)}:head`,
  /** Hash of the commit that its owner has prepared and not made true yet: `n` its number, `part` its text (preparedCommits.ts). */
  prepared: (shard: number): string => `${shardTag(shard)}:prepared`,
  /** Hash accountId -> compressed snapshot of an account in memory (src/actors/engine/ownership/redisSnapshots.ts). */
  kept: (shard: number): string => `${shardTag(shard)}:kept`,
  /** Hash accountId -> seq, of accounts whose newest state an API node was given; `_owner`: `<token of the owner>:<random>`. */
  versions: (shard: number): string => `${shardTag(shard)}:versions`,
  /** The load of the shard on its owner's thread: JSON `ShardLoadRecord` (src/actors/core/messages/podStatus.ts), with a TTL. */
  load: (shard: number): string => `${shardTag(shard)}:load`,
  /** Set of accounts that must be in memory. */
  live: (shard: number): string => `${shardTag(shard)}:live`,
  /** Stream of parked commands. */
  dead: (shard: number): string => `${shardTag(shard)}:dead`,
  /** Hash accountId -> `<stream id> <count>`: commands that an owner found at the head when it took the shard. */
  poisonCommands: (shard: number): string => `${shardTag(shard)}:suspects`,
  /** Hash accountId -> record of accounts that are quarantined (src/actors/core/messages/quarantineRecord.ts). */
  quarantine: (shard: number): string => `${shardTag(shard)}:quarantine`,
  /** A reply too long for a message, with a TTL: taken out by the API node that asked. */
  reply: (shard: number, incarnation: string, counter: number): string => `${shardTag(shard)}:reply:${incarnation}:${counter}`,
  /** Hash accountId -> `<last seq> <last commit> <bytes>`: accounts with entries set aside. */
  setAside: (shard: number): string => `${shardTag(shard)}:aside`,
  /** List of one account's entries that were set aside, oldest first. */
  entriesSetAside: (shard: number, accountId: string): string => `${shardTag(shard)}:aside:${accountId}`,
  /** Hash accountId -> reason, of accounts that the owner could not load; with the owner's token. */
  notLoaded: (shard: number): string => `${shardTag(shard)}:notloaded`,
  /** The id under which a dead letter was put back into its account's mailbox, with a TTL. */
  requeued: (shard: number, letter: string): string => `${shardTag(shard)}:requeued:${letter}`,
  /** Hash accountId -> `lift` or `drop`: what an operator wants of a halted account. */
  wishes: (shard: number): string => `${shardTag(shard)}:wishes`,
  /** Hash accountId -> bytes of its waiting commands; `_all`: of all. */
  mailboxBytes: (shard: number): string => `${shardTag(shard)}:cmdbytes`,
  /** Answer remembered for an Idempotency-Key, sealed, with a TTL; `name` is derived from the key. */
  answer: (shard: number, name: string): string => `${shardTag(shard)}:answer:${name}`,
  /** Hash accountId -> bytes of its remembered answers; `_all`: of all. Beside it, by the time of their end, what ends then. */
  answerBytes: (shard: number): string => `${shardTag(shard)}:answerbytes`,
  /** Stream of where answers are remembered, and whose they are, with the time of each as its id: for a backup. */
  answerPlaces: (shard: number): string => `${shardTag(shard)}:answerbytes:places`,
} as const;

/** Channel on which an API node receives its replies; on a cluster, where each shard has a channel of its own, those of a shard. */
export const repliesChannel = (apiNodeId: string, shard?: number): string =>
  `${shard === undefined ? '' : `${shardTag(shard)}:`}replies:${apiNodeId}`;

export const deploymentKeys = {
  /** Hash of what the deployment is for its whole life: `shards`, and `formats`, the generation that may be written. */
  record: '{deployment}:record',
  /** Hash process -> `<ms> <JSON>`: what each live process reads and writes (src/shared/deployment/membership.ts). */
  processes: '{deployment}:processes',
  /** Hash of how far exchange time is ahead, and of the advance under way (src/shared/deployment/clockRecord.ts). */
  clock: '{deployment}:clock',
  /**
   * Hash process -> JSON: the notice of a process that it has settled, for the caller that advances the clock
   * (src/shared/deployment/settledProcesses.ts).
   */
  settled: '{deployment}:settled',
  /** Channel by which processes hear of the clock at once, where CONTROL is on. */
  clockChanged: '{deployment}:clockchanged',
  /** Hash that is there while a restore is unfinished (src/shared/deployment/deploymentRecord.ts). */
  restore: '{deployment}:restore',
  /** Mark of the process that restores at the moment, with a TTL. */
  restorer: '{deployment}:restorer',
} as const;

export const podKeys = {
  /** Hash podId -> status of the actor pods (src/actors/core/messages/podStatus.ts); a heartbeat each. */
  pods: '{pods}:actors',
  /** Channel on which a pod says that it has released a shard or is leaving. */
  wakeup: '{pods}:bell',
  /** Which shards an operator has given to which pods: `<number> <JSON>` (src/shared/domain/shards.ts). */
  pins: '{pods}:pins',
} as const;

export const marketKeys = {
  lease: '{mkt}:lease',
  /**
   * Hash field -> JSON: the latest state, whole, each field the newest change of its kind. Fields: `meta`, `status`, `mids`
   * (all of them), `book:<coin>`, `bbo:<coin>`, `ctx:<coin>`, `candle:<coin>` (the minute in progress),
   * `trades:<coin>` (the newest 30, oldest first), `funding:<coin>` (its newest hours), `deep:<coin>` (the aggregated book that was wanted
   * last).
   */
  state: '{mkt}:state',
  /** Hash of the last published message: `leader`, `seq`, and `tick`, the newest tick that the state includes. */
  sequence: '{mkt}:seq',
  /** Stream of trades, 5 minutes at least; its entry ids are the tick positions of the actors. */
  ticks: '{mkt}:ticks',
  /** Channel of numbered change messages. */
  feed: '{mkt}:feed',
  /**
   * Hash `<coin> <process>` -> `<until ms> <coins> <kind> <owner>`: who wants the aggregated book of a coin
   * (src/shared/venue/deepWants.ts).
   */
  deepWants: '{mkt}:deep',
  /** An answer of the venue's REST interface, with a TTL. */
  answer: (digest: string): string => `{mkt}:answer:${digest}`,
  /** Sorted set of those answers by time of writing, and hash of their bytes, for their bounds. */
  answers: '{mkt}:answers',
  answersBytes: '{mkt}:answers:bytes',
  /** A question that a process asks the venue at the moment. */
  asked: (digest: string): string => `{mkt}:asked:${digest}`,
  /** Hash second -> weight that the venue was asked for: by all users, by the market role, by one user. */
  usersWeight: '{mkt}:weight:users',
  marketWeight: '{mkt}:weight:market',
  userWeight: (userId: string): string => `{mkt}:weight:user:${userId}`,
  /** Hash user -> `<until ms> <since µs> <used> <wanted>`: users whose question was refused, and when they may come back. */
  usersWaiting: '{mkt}:weight:waiting',
  /** There while the venue's 429 holds questions back: when it began. And how many there were lately. */
  pause: '{mkt}:pause',
  pauses: '{mkt}:pauses',
  /** The API node that follows the mirrored addresses, with a TTL; and the highest term that any had. */
  mirrorLease: '{mkt}:mirrors:lease',
  mirrorTerm: '{mkt}:mirrors:term',
  /** How the node with that term hears the address of a mirror, by the mirror's id, with a TTL. */
  mirrorHearing: (id: string) => `{mkt}:mirrors:hearing:${id}`,
} as const;

/** User id behind a link that logs a browser in once, with a TTL; asked by the digest of its token (src/shared/access/loginLinks.ts). */
export const loginLinkKey = (digest: string): string => `{login}:link:${digest}`;

export const workerKeys = {
  /** Hash node id -> ms, by Redis's clock, of each job process's last heartbeat. Expires after the last process. */
  workers: '{jobs}:workers',
} as const;

export const apiKeyKeys = {
  /** Hash key id -> milliseconds of its last use; the job `key-usage` moves it to MongoDB. */
  used: '{keys}:used',
  /** Stream of user ids whose keys or plan have changed; every API node reads it and forgets what it knew of the user. */
  changes: '{keys}:changes',
  /** The record of the API key with this digest, as JSON with a TTL; read only while MongoDB is away. */
  record: (digest: string): string => `{keys}:record:${digest}`,
} as const;

/** Hash `exchange` and `info` -> number of the last draw of a failure lab, by the run of its profile, with a TTL. */
export const labDrawsKey = (run: string): string => `{lab}:draws:${run}`;

/** Sorted set of the nonces that a key has used under a failure lab that is strict about them, by the run of its profile, with a TTL. */
export const labNoncesKey = (run: string): string => `{lab}:nonces:${run}`;

/**
 * Hash of the sliding windows of one subject, of its requests and of their weights; `subject` is `key:<id>`, `user:<id>` and the
 * like. On a cluster they are spread over places, each a slot of its own (src/api/access/limits/charge.ts).
 */
export const subjectWindowsKey = (subject: string, place?: number): string =>
  place === undefined ? `{limits}of:${subject}` : `{limits${place}}of:${subject}`;

/** Sorted set of the open WebSocket connections of one API key, by its id, or of a user's tokens, by the user's id. */
export const socketSlotsKey = (keyId: string): string => `{sockets}:${keyId}`;

/** Answer remembered for an Idempotency-Key outside trading, sealed, with a TTL; `digest` names endpoint, owner and key. */
export const idempotencyKeys = {
  answer: (digest: string): string => `{idem}:${digest}`,
  /** Hash endpoint and owner -> bytes of their answers, as `shardKeys.answerBytes`. */
  bytes: '{idem}bytes',
  /** As `shardKeys.answerPlaces`. */
  places: '{idem}bytes:places',
} as const;
