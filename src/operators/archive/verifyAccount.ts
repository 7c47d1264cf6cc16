// `bin/admin account verify`: is everything that is stored of an account what its entries come to?

import type { Account } from '../../actors/core/account/account.ts';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { rowsOf } from '../../actors/core/history/rowsOfEvents.ts';
import { readEntry } from '../../actors/core/messages/entry.ts';
import { idsOf } from '../../shared/archive/archiveForm.ts';
import type { ArchivedEntry } from '../../shared/archive/archiveReader.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { isComparable, stateHashOf } from '../../shared/stateHash.ts';
import { type OperatorParts, type Report, UsageError } from '../acts/operatorParts.ts';
import { sendToAccount } from '../acts/sendToAccount.ts';
import { AccountPast, accountNamed, type NamedAccount } from './accountPast.ts';
import { type Difference, Differs, sentenceOf } from './firstDifference.ts';
import { type Checkpoint, compare, FoldedPast, readable } from './foldedPast.ts';
import { type NamedCommit, verifiedEntries, verifyCommits } from './verifyChunks.ts';
import { OrderEndsVerifier } from './verifyOrderEnds.ts';
import { CameEntries, type RowsParts, RowsVerifier } from './verifyRows.ts';

/** Differences that the text of `--all` shows. */
const SHOWN_MAX = 50;

type Outcome = { readonly account: string; readonly verified?: Verified; readonly difference?: Difference };

export async function verifyAccount(args: readonly string[], parts: OperatorParts): Promise<Report> {
  if (args.includes('--all')) {
    if (args.length > 1) throw new UsageError('Either one account or --all.');
    return await verifyAll(parts);
  }
  const [name, ...more] = args;
  if (more.length > 0) throw new UsageError('One account, or --all.');
  const outcome = await outcomeOf(parts, await accountNamed(name, parts));
  return { data: outcome, lines: linesOf(outcome), isBad: outcome.difference !== undefined };
}

async function verifyAll(parts: OperatorParts): Promise<Report> {
  const { config } = parts.billing;
  const found: Outcome[] = [];
  let accounts = 0;
  for await (const accountId of accountsOf(parts.mongo)) {
    const outcome = await outcomeOf(parts, { accountId, shard: shardOf(accountId, config.SHARDS), user: undefined });
    accounts += 1;
    if (outcome.difference !== undefined) found.push(outcome);
  }
  const more = found.length > SHOWN_MAX ? [`and ${found.length - SHOWN_MAX} more`] : [];
  return {
    data: { accounts, different: found },
    lines: [`${accounts} accounts, ${found.length} differ.`, ...found.slice(0, SHOWN_MAX).flatMap(linesOf), ...more],
    isBad: found.length > 0,
  };
}

/** Those with a snapshot, and those of users whose snapshot is missing although something of them is archived. */
async function* accountsOf({ db }: MongoConnection): AsyncGenerator<string> {
  const snapshots = db.collection<{ _id: string }>(collections.accounts);
  for await (const { _id } of snapshots.find({}, { projection: { _id: 1 } })) yield _id;
  const users = db.collection<Pick<User, '_id' | 'address'>>(collections.users).find({}, { projection: { address: 1 } });
  const archive = db.collection<{ _id: string }>(collections.archive);
  const only = { projection: { _id: 1 } };
  for await (const { address } of users) {
    if ((await snapshots.findOne({ _id: address }, only)) !== null) continue;
    if ((await archive.findOne({ _id: idsOf(address) }, only)) !== null) yield address;
  }
}

/** Trading goes on meanwhile, and old rows may be removed just then: what differs is looked at twice. */
async function outcomeOf(parts: OperatorParts, named: NamedAccount): Promise<Outcome> {
  const first = await triedOnce(parts, named);
  return first.difference === undefined ? first : await triedOnce(parts, named);
}

async function triedOnce(parts: OperatorParts, named: NamedAccount): Promise<Outcome> {
  const account = named.accountId;
  try {
    return { account, verified: await verifyPast(parts, named) };
  } catch (error) {
    if (!(error instanceof Differs)) throw error;
    return { account, difference: error.difference };
  }
}

function linesOf({ account, verified, difference }: Outcome): string[] {
  if (difference !== undefined) return [`${account} differs: ${sentenceOf(difference)}`];
  if (verified === undefined) return [];
  const { folded, first, last, rows, states, hash, notes } = verified;
  return [
    `${account} is whole: entries ${first} to ${last}, ${folded} folded, ${rows} history rows and ${states} states compared.`,
    `state hash ${hash ?? '-'}`,
    ...notes,
  ];
}

export interface Verified {
  /** Entries that were folded, and the numbers of the first and the last of all that are there; 0 = none. */
  readonly folded: number;
  readonly first: number;
  readonly last: number;
  /** History rows and states that were compared. */
  readonly rows: number;
  readonly states: number;
  readonly hash: string | undefined;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
}

/** Beyond any number of an entry. */
const NO_END = Number.MAX_SAFE_INTEGER - 1024;

/**
 * Folds an account's past from its first state to its newest entry and compares on the way with all that is stored of it: chunks,
 * states of the archive, history rows, the snapshot, and what its owner answers.
 * @throws {Differs} at the first difference
 */
export async function verifyPast(parts: OperatorParts, named: NamedAccount): Promise<Verified> {
  // Its owner answers from entries that are in the journal, and everything is read after that: nothing newer has to be waited for.
  const owner = await askedOwner(parts, named);
  const { accountId: account, shard } = named;
  const { mongo } = parts;
  const stored = await mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: account });
  const past = await AccountPast.read(parts, named);
  const snapshot = stored === null ? undefined : readStored(stored, shard);
  const [came, commits] = [new CameEntries(past.states), [] as NamedCommit[]];
  const newest = past.live.at(-1)?.seq ?? 0;
  const rows = new StoredRows({ mongo, account, shard, start: snapshot?.account.historyStart, came, commits, newest });
  const fold = new FoldedPast(past);
  for (const checkpoint of [snapshot?.checkpoint, owner]) if (checkpoint) fold.expect(checkpoint);
  for await (const entry of verifiedEntries(past.reader, { account, shard, commits })) {
    if (await fold.step(entry)) await rows.add(entry);
  }
  await rows.end();
  for await (const entry of past.entries(fold.last + 1, NO_END)) await fold.step(entry);
  await fold.end();
  if (stored === null) requireUncut(past, fold.first);
  verifyCommits(commits, await newestCommit(parts, shard));
  const notes = [...fold.notes, ...(owner ? [] : ['Its owner did not answer with a state: only what is stored was compared.'])];
  const { folded, first, last, states, hash } = fold;
  return { folded, first, last, rows: rows.compared, states, hash, notes };
}

/** The shard's newest commit, as Redis or MongoDB knows it; undefined = neither does. */
async function newestCommit({ mongo, redis }: OperatorParts, shard: number): Promise<number | undefined> {
  const positions = mongo.db.collection<{ _id: number; ahead?: { commit: number } }>(collections.shards);
  const ahead = (await positions.findOne({ _id: shard }))?.ahead?.commit;
  return ahead === undefined ? undefined : Math.max(ahead, Number((await redis.hget(shardKeys.head(shard), 'n')) ?? 0));
}

/** All that MongoDB has of an account by rows: its history, and the ends of its orders by their ids. */
class StoredRows {
  readonly #came: CameEntries;
  readonly #history: RowsVerifier;
  readonly #orderEnds: OrderEndsVerifier;

  constructor(parts: RowsParts) {
    this.#came = parts.came;
    this.#history = new RowsVerifier(parts);
    this.#orderEnds = new OrderEndsVerifier(parts);
  }

  get compared(): number {
    return this.#history.compared + this.#orderEnds.compared;
  }

  async add({ seq, text }: ArchivedEntry): Promise<void> {
    const rows = rowsOf(readEntry(text));
    this.#came.add(seq);
    await this.#history.add(seq, rows);
    await this.#orderEnds.add(seq, rows);
  }

  async end(): Promise<void> {
    await this.#history.end();
    await this.#orderEnds.end();
  }
}

/** The journal is cut only behind a snapshot. @throws {Differs} when that is missing */
function requireUncut({ accountId, live }: AccountPast, first: number): void {
  if (first === 0 || live[0]?.seq === first) return;
  throw new Differs({ seq: first, where: `accounts ${accountId}`, field: '_id', expected: 'a snapshot', found: 'nothing' });
}

function readStored(
  { _id, seq, shard: stored, text }: SnapshotDocument,
  shard: number,
): { account: Account; checkpoint: Checkpoint } {
  const where = `accounts ${_id}`;
  const account = readable(text, { seq, where });
  if (account.seq !== seq) throw new Differs({ seq, where, field: 'seq', expected: String(account.seq), found: String(seq) });
  if (stored !== shard) throw new Differs({ seq, where, field: 'shard', expected: String(shard), found: String(stored) });
  return { account, checkpoint: { seq, where, check: (state) => compare(state, account, where) } };
}

/** The state that the owner has now. @returns undefined when it does not answer, or a build with another hash answers */
async function askedOwner(parts: OperatorParts, { accountId, shard }: NamedAccount): Promise<Checkpoint | undefined> {
  // Without a lease there is no owner that could answer.
  if ((await parts.redis.exists(shardKeys.lease(shard))) === 0) return undefined;
  const { reply } = await sendToAccount(parts, accountId, { type: 'query', query: { kind: 'accountState' }, stateHash: true });
  if (reply === undefined || !('outcome' in reply) || reply.outcome.type !== 'answer') return undefined;
  const { seq, stateHash } = reply.outcome;
  if (stateHash === undefined || !isComparable(stateHash) || seq === 0) return undefined;
  const where = 'the state that its owner has';
  return {
    ...{ seq, where },
    check: (state) => {
      const hash = stateHashOf(state);
      if (hash !== stateHash) throw new Differs({ seq, where, field: 'state hash', expected: hash, found: stateHash });
    },
  };
}
