// Follows the journals of all shards that have accounts with endpoints, so that an entry is told a moment after Redis has it on its disk.
// An account's entries have numbers without a gap. So an endpoint is told of an entry only when it has reached the one before it. Where
// entries are missing in between, the endpoint is brought up from the history first, and the journal is read again from the snapshot on that
// the history reaches: it is not cut beyond that.

import { rowsOfKinds } from '../../../actors/core/history/rowsOfEvents.ts';
import { type EntryText, readEntry, splitEntries } from '../../../actors/core/messages/entry.ts';
import type { Config } from '../../../shared/config/config.ts';
import { groupedBy } from '../../../shared/domain/groups.ts';
import { shardOf } from '../../../shared/domain/shards.ts';
import { type CommitText, DurableJournal } from '../../../shared/redis/durableJournal.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { type Followed, guarded, kindsOf, type PlacedRow, roomOf, tellRows } from './tellRows.ts';
import type { OutboxParts } from './watchParts.ts';

/** Accounts that are told of at the same time, and journals that are read. */
const AT_ONCE = 8;

/** Commit up to which each shard's journal is told, by the number of the shard. */
export type JournalPositions = Readonly<Record<string, number>>;

interface FollowerParts {
  readonly redis: Redis;
  readonly config: Pick<Config, 'SHARDS' | 'REDIS_DURABILITY' | 'HISTORY_DELAY_MS'>;
}

export class JournalFollower {
  readonly #parts: FollowerParts;
  readonly #readers = new Map<number, DurableJournal>();
  readonly #begun: JournalPositions;
  /** By endpoint and account: the snapshot from which the journal was read again. */
  readonly #rewound = new Map<string, number>();

  /** @param begun where another process has left off */
  constructor(parts: FollowerParts, begun: JournalPositions) {
    this.#parts = parts;
    this.#begun = begun;
  }

  get positions(): JournalPositions {
    return Object.fromEntries([...this.#readers].map(([shard, { position }]) => [shard, position]));
  }

  /** Tells of all entries that are on the disk and were not told yet. @throws MongoError: nothing of what failed is done */
  async follow(parts: OutboxParts, all: readonly Followed[]): Promise<void> {
    const byShard = groupedBy(all, ({ account }) => shardOf(account, this.#parts.config.SHARDS));
    for (const shard of this.#readers.keys()) if (!byShard.has(shard)) this.#readers.delete(shard);
    this.#forgetRemoved(all);
    await inTurns([...byShard], ([shard, followed]) => this.#followShard(parts, shard, followed));
  }

  async #followShard(parts: OutboxParts, shard: number, followed: readonly Followed[]): Promise<void> {
    const reader = this.#readers.get(shard) ?? this.#begin(shard, followed);
    const commits = await reader.read();
    const last = commits.at(-1);
    if (last === undefined) return;
    const entriesOf = entriesByAccount(commits, new Set(followed.map(({ account }) => account)));
    const behind: Followed[] = [];
    await inTurns(followed, (one) =>
      guarded(parts, one, async () => {
        const entries = entriesOf.get(one.account) ?? [];
        if (!(await tellEntries(parts, one, entries))) behind.push(one);
      }),
    );
    reader.done(last.number);
    const from = behind.filter((one) => this.#mayRewind(one)).map(({ reached }) => reached.commit);
    if (from.length > 0) reader.rewind(Math.min(...from));
  }

  /** Where another process has left off; else where the history of the first account ends. */
  #begin(shard: number, followed: readonly Followed[]): DurableJournal {
    const { redis, config } = this.#parts;
    const durability = { isAlways: config.REDIS_DURABILITY === 'always', delayMs: config.HISTORY_DELAY_MS };
    const from = this.#begun[shard] ?? Math.min(...followed.map(({ reached }) => reached.commit));
    const reader = new DurableJournal({ redis, shard, durability }, from);
    this.#readers.set(shard, reader);
    return reader;
  }

  /** Once for each snapshot, and when the history was told up to it: what a halted account has done is in neither, and would be looked for for ever. */
  #mayRewind({ endpoint, account, reached }: Followed): boolean {
    const name = nameOf({ endpoint, account });
    if ((endpoint.at[account] ?? 0) < reached.seq || this.#rewound.get(name) === reached.seq) return false;
    this.#rewound.set(name, reached.seq);
    return true;
  }

  /** Users add and remove endpoints without an end. */
  #forgetRemoved(all: readonly Followed[]): void {
    if (this.#rewound.size === 0) return;
    const names = new Set(all.map(nameOf));
    for (const name of this.#rewound.keys()) if (!names.has(name)) this.#rewound.delete(name);
  }
}

const nameOf = ({ endpoint, account }: Pick<Followed, 'endpoint' | 'account'>): string => `${endpoint._id}:${account}`;

/** @returns false when entries before these are missing */
async function tellEntries(parts: OutboxParts, one: Followed, entries: readonly EntryText[]): Promise<boolean> {
  const after = one.endpoint.at[one.account] ?? 0;
  const fresh = entries.filter(({ seq }) => seq > after);
  const [first, last] = [fresh[0], fresh.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (first.seq !== after + 1) return false;
  const kinds = new Set(kindsOf(one.endpoint));
  const rows = fresh.flatMap(({ seq, text }) => rowsOfKinds(readEntry(text), kinds).map((row): PlacedRow => ({ seq, row })));
  const room = rows.length === 0 ? 0 : await roomOf(parts.mongo, one.endpoint);
  if (rows.length === 0 || room > 0) await tellRows(parts, one, { found: { rows, upTo: last.seq }, room });
  return true;
}

function entriesByAccount(commits: readonly CommitText[], accounts: ReadonlySet<string>): ReadonlyMap<string, EntryText[]> {
  const entries = commits.flatMap(({ text }) => splitEntries(text)).filter(({ accountId }) => accounts.has(accountId));
  return groupedBy(entries, ({ accountId }) => accountId);
}

async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) await Promise.all(items.slice(from, from + AT_ONCE).map(work));
}
