// All that the stores have of an account's past: its archive in MongoDB, and what Redis has of it still. Together they have no hole:
// nothing is cut from Redis before it is archived, and Redis is read first.
import type { ArchivedPast } from '../../actors/core/rebuildAccount.ts';
import { type ArchivedEntry, ArchiveReader, type StateHead } from '../../shared/archive/archiveReader.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { type OperatorParts, Refused, UsageError } from '../acts/operatorParts.ts';
import { entriesInRedis } from '../acts/shardReads.ts';
import { findUser, ownerOfAccount } from '../acts/users.ts';

const ADDRESS = /^0x[0-9a-f]+$/;

export interface NamedAccount {
  readonly accountId: string;
  readonly shard: number;
  /** Undefined when no user has it (any more). */
  readonly user: User | undefined;
}

/** The account that an operator names: by its address, also when no user has it, or by its user. @throws {Refused}, {UsageError} */
export async function accountNamed(name: string | undefined, parts: OperatorParts): Promise<NamedAccount> {
  if (name === undefined)
    throw new UsageError('Which account? Its address 0x…, or its user: an e-mail address, user_… or key_….');
  const wanted = name.trim().toLowerCase();
  const isAddress = ADDRESS.test(wanted);
  const user = isAddress ? await ownerOfAccount(parts.mongo, wanted) : await findUser(name, parts);
  const accountId = isAddress || user === undefined ? wanted : user.address;
  return { accountId, shard: shardOf(accountId, parts.billing.config.SHARDS), user };
}

export class AccountPast implements ArchivedPast<StateHead> {
  readonly accountId: string;
  readonly reader: ArchiveReader;
  readonly states: readonly StateHead[];
  /** What Redis has: entries set aside and those in the journal, by rising numbers. */
  readonly live: readonly ArchivedEntry[];

  private constructor(accountId: string, reader: ArchiveReader, read: Pick<AccountPast, 'states' | 'live'>) {
    this.accountId = accountId;
    this.reader = reader;
    this.states = read.states;
    this.live = read.live;
  }

  static async read(
    parts: Pick<OperatorParts, 'redis' | 'mongo'>,
    { accountId, shard }: Pick<NamedAccount, 'accountId' | 'shard'>,
  ) {
    const live = await entriesInRedis(parts, { accountId, shard });
    const reader = new ArchiveReader(parts.mongo, accountId);
    return new AccountPast(accountId, reader, { states: await reader.states(), live });
  }

  /** The newest entry that the past has; 0 = none. */
  async lastSeq(): Promise<number> {
    const chunks = await this.reader.chunks();
    const breaks = this.states.filter(({ reason }) => reason !== 'distance').map(({ seq }) => seq);
    return Math.max(0, this.live.at(-1)?.seq ?? 0, ...chunks.map(({ lastSeq }) => lastSeq), ...breaks);
  }

  readonly snapshot = (state: StateHead): Promise<string> => this.reader.snapshot(state);

  readonly entries = (from: number, to: number): AsyncGenerator<ArchivedEntry> => this.#entries(from, to);

  async *#entries(from: number, to: number): AsyncGenerator<ArchivedEntry> {
    let last = from - 1;
    for await (const entry of this.reader.entries(from, to)) {
      last = entry.seq;
      yield entry;
    }
    for (const entry of this.live) if (entry.seq > last && entry.seq <= to) yield entry;
  }
}

/** A whole number of an option. @throws {UsageError} */
export function seqOption(options: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} takes the number of an entry, not "${text}".`);
  return Number(text);
}

/** @throws {Refused} when nothing at all is known of the account */
export function refuseUnknown(past: AccountPast, lastSeq: number): void {
  if (lastSeq === 0 && past.states.length === 0) throw new Refused(`Nothing is known of the account ${past.accountId}.`);
}
