// What is kept of the journals that led to an account, from the archive and from their owners: its entries, the newest entry at a time, and
// what an account has done since it and another account parted.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AccountEntry, readEntry } from '../../actors/core/messages/entry.ts';
import { type KeptJournalParts, keptEntries, keptParts, oldestState } from '../../api/accounts/keptJournal.ts';
import type { Call, Services } from '../../api/accounts/services.ts';
import { type ChunkDocument, chunkId, ENTRIES_PER_CHUNK, firstOfChunk } from '../../shared/archive/archiveForm.ts';
import { ArchiveReader, type StateHead } from '../../shared/archive/archiveReader.ts';
import { RequestError } from '../../shared/errors.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { LostStretch } from './rules/facts.ts';
import type { Beginning, Stretch } from './rules/side.ts';

/** Entries read and folded before other work of the node has its turn: some milliseconds. */
const ENTRIES_AT_ONCE = 32;

/** The same items, so that other work of the node goes on meanwhile. */
export async function* unhurried<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    count += 1;
    if (count % ENTRIES_AT_ONCE === 0) await nextTurn();
    yield item;
  }
}

/** The journal of one account. */
export interface KeptJournal extends KeptJournalParts {
  readonly mongo: MongoConnection;
  /** Of the account, by rising numbers. */
  readonly states: readonly StateHead[];
  /** The state before the oldest entry; undefined = the journal begins with entry 1. */
  readonly base: StateHead | undefined;
}

interface JournalPlaces {
  readonly services: Pick<Services, 'gateway'>;
  readonly mongo: MongoConnection;
}

/** The journal of the call's account, as far as the archive and its owner have it. @throws as the gateway does */
export async function keptJournalOf({ services, mongo }: JournalPlaces, call: Call): Promise<KeptJournal> {
  const parts = { reader: new ArchiveReader(mongo, call.caller.accountId), services, call };
  const states = await parts.reader.states();
  return { ...parts, mongo, states, base: await oldestState(parts, states) };
}

/** A stretch of a journal, from its oldest entry to its newest, both included. */
interface KeptStretch {
  readonly journal: KeptJournal;
  readonly from: number;
  readonly to: number;
}

/**
 * The newest entry of an account at a time: a search by halves over the archive's chunks, for times rise with the numbers. Entries that
 * count no more are passed over: some are nowhere, and the account goes on from the state behind them.
 * @returns undefined when all of the stretch is later; as `keptEntries` throws
 */
export async function entryAtTime(stretch: KeptStretch, timeMs: number): Promise<number | undefined> {
  const { journal } = stretch;
  const { base, from, to } = unbroken(stretch, timeMs);
  let [low, high] = [from, to + 1];
  // Entries before `low` are not later than the time. What the archive has not, the owner has: it is read one by one.
  while (firstOfChunk(low) < firstOfChunk(high - 1)) {
    const middle = Math.max(firstOfChunk(Math.floor((low + high) / 2)), firstOfChunk(low) + ENTRIES_PER_CHUNK);
    const endedMs = await lastTimeBefore(journal, middle);
    if (endedMs !== undefined && endedMs <= timeMs) low = middle;
    else high = middle;
  }
  let found = low > from ? low - 1 : base;
  for await (const { seq, text } of unhurried(keptEntries(journal, low, to))) {
    if (readEntry(text).timeMs > timeMs) return found;
    found = seq;
  }
  return found;
}

/** The part of the stretch that has the time, between two breaks. `base`: the state that it goes on from, where that is no later. */
function unbroken({ journal, from, to }: KeptStretch, timeMs: number): { base: number | undefined; from: number; to: number } {
  const breaks = journal.states.filter(({ after, seq }) => after < seq && after >= from - 1 && seq <= to);
  const last = breaks.findLast((state) => state.timeMs <= timeMs);
  const next = breaks.find((state) => state.timeMs > timeMs);
  return { base: last?.seq, from: last === undefined ? from : last.seq + 1, to: next?.after ?? to };
}

/** Time of the newest archived entry of the chunk that ends before this one; undefined = it is not archived whole. */
async function lastTimeBefore({ mongo, call }: KeptJournal, seq: number): Promise<number | undefined> {
  const account = call.caller.accountId;
  const range = { $gte: chunkId(account, seq - ENTRIES_PER_CHUNK), $lt: chunkId(account, seq) };
  const chunks = mongo.db.collection<ChunkDocument>(collections.archive);
  const found = await chunks.find({ _id: range }, { projection: { lastSeq: 1, lastTimeMs: 1 } }).toArray();
  return found.find(({ lastSeq }) => lastSeq === seq - 1)?.lastTimeMs;
}

export interface WayParts extends JournalPlaces {
  /** Of any account of the user. */
  readonly call: Call;
  /** Newest entry of each account that a way ends with. */
  readonly newest: ReadonlyMap<string, number>;
  readonly beginningOf: (account: string) => Beginning | undefined;
}

/**
 * What an account has done since it and another account parted, as far as it is kept: the rest of the journal that both come from, and the
 * journals of the forks after it.
 */
export interface Way {
  readonly stretches: readonly KeptStretch[];
  /** Where entries of it are no longer kept: time of the last of them. */
  readonly keptAfterMs: number | undefined;
}

export type WayPart =
  | { readonly entry: AccountEntry; readonly timeMs: number; readonly chars: number }
  | { readonly lost: LostStretch; readonly account: string; readonly timeMs: number; readonly chars: number };

export async function wayOf(parts: WayParts, stretches: readonly Stretch[]): Promise<Way> {
  let keptAfterMs: number | undefined;
  const kept: KeptStretch[] = [];
  for (const { account, from, to = parts.newest.get(account) ?? 0 } of stretches) {
    const { call } = parts;
    const journal = await keptJournalOf(parts, { ...call, caller: { ...call.caller, accountId: account, address: account } });
    const { base } = journal;
    if (base !== undefined && base.seq >= from) keptAfterMs = Math.max(keptAfterMs ?? 0, base.timeMs);
    const begins = Math.max(from, (base?.seq ?? 0) + 1);
    if (begins <= to) kept.push({ journal, from: begins, to });
  }
  return { stretches: kept, keptAfterMs };
}

/** The way without what was up to a time. */
export async function wayAfter(way: Way, timeMs: number): Promise<Way> {
  const stretches: KeptStretch[] = [];
  for (const stretch of way.stretches) {
    const before = await entryAtTime(stretch, timeMs);
    const from = before === undefined ? stretch.from : before + 1;
    if (from <= stretch.to) stretches.push({ ...stretch, from });
  }
  return { ...way, stretches };
}

/** Its entries in their order. @throws {RequestError} 400 when one that should be a fork began as something else; 503 */
export async function* partsOfWay({ stretches }: Way, beginningOf: WayParts['beginningOf']): AsyncGenerator<WayPart> {
  for (const { journal, from, to } of stretches) {
    const account = journal.call.caller.accountId;
    let next = from;
    for await (const part of unhurried(keptParts(journal, { states: journal.states, from, to }))) {
      if ('state' in part) {
        const { seq, timeMs } = part.state;
        yield { lost: { type: 'entriesLost', from: next, to: seq }, account, timeMs, chars: 0 };
        next = seq + 1;
        continue;
      }
      const entry = readEntry(part.entry.text);
      if (entry.seq === 1) requireBeginning(entry, beginningOf(account));
      next = entry.seq + 1;
      yield { entry, timeMs: entry.timeMs, chars: part.entry.text.length };
    }
  }
}

/** When an entry of an account was; undefined: it is not kept. */
export async function timeOfEntry(parts: WayParts, { account, seq }: { account: string; seq: number }) {
  const way = await wayOf(parts, [{ account, from: seq, to: seq }]);
  for await (const { timeMs } of partsOfWay(way, () => undefined)) return timeMs;
  return undefined;
}

/** Where its state was gone before it began, a fork was opened empty. */
function requireBeginning({ events: [first] }: AccountEntry, beginning: Beginning | undefined): void {
  if (beginning === undefined || (first?.type === 'forked' && first.of === beginning.of && first.seq === beginning.seq)) return;
  throw unrelated();
}

export const unrelated = (): RequestError =>
  new RequestError(
    400,
    'unrelated_accounts',
    'The accounts have no entry in common: neither is a fork of the other, nor both of one account. A reset ends a fork.',
  );
