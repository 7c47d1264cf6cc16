// Compares two accounts of a user: where they parted, what each has done since, and where they first differ.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import type { Terms } from '../../actors/core/messages/terms.ts';
import { toAccountTerms } from '../../api/account/termsFields.ts';
import { toWhatIfTerms } from '../../api/account/whatIfFields.ts';
import { readCurveSince } from '../../api/accounts/equityCurve.ts';
import { askWithSeq, type Call, type Services } from '../../api/accounts/services.ts';
import type { AnswerFor } from '../../api/contract/answerValues.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { type BEGINS, type Comparison, toDifference } from './comparisonSchema.ts';
import { partsOfWay, timeOfEntry, unrelated, type Way, type WayPart, type WayParts, wayAfter, wayOf } from './keptJournal.ts';
import { type Both, differencesOf } from './rules/differences.ts';
import { ComparedSide, lineOf, type Parting, partingOf, type SideOptions, type Stretch } from './rules/side.ts';
import { WhatIfsKnown } from './whatIfsKnown.ts';

/** What only one account has done so lately may be on its way in the other. */
const UNDER_WAY_MS = 1000;
/** Of both accounts, in one request: a second or two of a node's time, in pieces. */
const ENTRIES_MAX = 10_000;
/** Characters of the entries' text. */
const CHARS_MAX = 16 * 1024 * 1024;
/** Differences in one answer, some kilobytes each: what comes after the first ones mostly follows from them. */
const DIFFERENCES_MAX = 20;

interface ComparisonParts {
  readonly services: Pick<Services, 'gateway' | 'history' | 'now' | 'ownAccounts'>;
  readonly mongo: MongoConnection;
  /** Told how many accounts were asked. */
  readonly onCount: (accounts: number) => void;
  /** Entries that are read; absent = as many as one request may. */
  readonly entriesMax?: number;
}

/** An account as it says itself. */
interface Asked {
  readonly call: Call;
  readonly seq: number;
  readonly member: AnswerOf<'groupMember'>;
}

/** @throws {RequestError} 400 `unrelated_accounts`; 503, and as the gateway does */
export async function readComparison(
  { services, mongo, onCount, entriesMax }: ComparisonParts,
  calls: Both<Call>,
  sinceMs: number | undefined,
): Promise<AnswerFor<typeof Comparison>> {
  const nowMs = services.now();
  const known = await services.ownAccounts.list(calls[0]);
  const asked = await bothOf(calls, async (call) => {
    const { answer, seq } = await askWithSeq(call, services, { kind: 'groupMember' });
    return { call, seq, member: answer };
  });
  const origins = new Map(known.map(({ address, fork }) => [address, fork]));
  for (const { call, member } of asked) origins.set(call.caller.accountId, member.fork);
  const beginningOf = (account: string) => origins.get(account);
  const parting = partingOf(...pairOf(calls, ({ caller }) => lineOf(caller.accountId, beginningOf)));
  if (parting === undefined) throw unrelated();
  const newest = new Map(asked.map(({ call, seq }) => [call.caller.accountId, seq]));
  const parts: WayParts = { services, mongo, call: calls[0], newest, beginningOf };
  const commonMs = await commonTimeOf(parts, parting, asked);
  const begun = await begin(parts, parting, { commonMs, sinceMs });
  const whatIfs = await WhatIfsKnown.ask(services, asked, whatIfsOf(parting, beginningOf));
  onCount(whatIfs.asked + asked.length);

  const termsOf = pairOf(
    asked,
    ({ call }) =>
      (account = call.caller.accountId) =>
        beginningOf(account)?.terms,
  );
  const options = {
    startOf: (of: string, whatIf: string) => whatIfs.of(of, whatIf)?.start,
    hasLeverage: parting.ways.flat().every(({ account }) => beginningOf(account)?.terms?.leverage === undefined),
  };
  const read = await readBoth(
    pairOf(begun.ways, (way) => partsOfWay(way, beginningOf)),
    options,
    { ...(entriesMax !== undefined && { entriesMax }) },
  );
  const isComplete = read.untilMs === undefined;
  const untilMs = read.untilMs ?? nowMs;
  const settledMs = settledTime(untilMs, { fromMs: begun.fromMs, isComplete });
  const live = pairOf(asked, ({ call, member }) => whatIfs.liveOf(call.caller.accountId, member.fork?.of));
  const found = await inSteps(differencesOf(read.sides, { untilMs, settledMs, afterMs: begun.afterMs, live }));
  const compared = (at: number) => ({ sides: read.sides, termsOf, hasEarlier: at > 0 || begun.afterMs !== undefined });
  const curvesFromMs = Math.max(begun.fromMs, ...ownBeginnings(asked, begun.ways, read.firstMs));
  const [account, other] = await bothOf(asked, async (one) => ({
    address: one.call.caller.accountId,
    name: known.find(({ address }) => address === one.call.caller.accountId)?.name ?? null,
    seq: one.seq,
    account_terms: toAccountTerms(one.member.overview.terms),
    ...describe(one, whatIfs),
    curve: await readCurveSince(services, one.call, { startMs: curvesFromMs }),
  }));
  return {
    ...{ account, with: other },
    common: { address: parting.common.account, seq: parting.common.seq, time: isoOrNull(commonMs) },
    ...{ from: iso(begun.fromMs), begins: begun.why, to: iso(Math.max(untilMs, begun.fromMs)), complete: isComplete },
    next: isComplete ? null : iso(settledMs),
    entries_read: read.sides[0].entries + read.sides[1].entries,
    differences: found.slice(0, DIFFERENCES_MAX).map((difference, at) => toDifference(difference, compared(at))),
    more_differences: Math.max(0, found.length - DIFFERENCES_MAX),
  };
}

/** Other work of the node goes on between the steps. */
async function inSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Up to when what only one account has done counts. The next request begins there, unless one reads no more than that moment. */
function settledTime(untilMs: number, { fromMs, isComplete }: { readonly fromMs: number; readonly isComplete: boolean }): number {
  const settledMs = untilMs - UNDER_WAY_MS;
  return isComplete || settledMs > fromMs ? settledMs : Math.max(untilMs, fromMs + 1);
}

interface Begun {
  readonly ways: Both<Way>;
  /** Undefined: the comparison begins at the entry that both have. */
  readonly afterMs: number | undefined;
  readonly fromMs: number;
  readonly why: (typeof BEGINS)[number];
}

/** At the entry that both have, or as late as asked, or as early as is kept. */
async function begin(
  parts: WayParts,
  { ways: stretches }: Parting,
  { commonMs, sinceMs }: { readonly commonMs: number | undefined; readonly sinceMs: number | undefined },
): Promise<Begun> {
  const ways = await bothOf(stretches, (way: readonly Stretch[]) => wayOf(parts, way));
  const keptMs = Math.max(...ways.map(({ keptAfterMs }) => keptAfterMs ?? 0));
  const askedMs = sinceMs !== undefined && sinceMs > (commonMs ?? 0) ? sinceMs : 0;
  const afterMs = Math.max(keptMs, askedMs);
  if (afterMs === 0) return { ways, afterMs: undefined, fromMs: commonMs ?? 0, why: 'common' };
  const after = await bothOf(ways, (way) => wayAfter(way, afterMs));
  return { ways: after, afterMs, fromMs: afterMs, why: askedMs >= keptMs ? 'since' : 'kept' };
}

/** Of the entry that both have. A fork knows the time of the one that it began after. */
async function commonTimeOf(parts: WayParts, { common }: Parting, asked: Both<Asked>): Promise<number | undefined> {
  const fork = asked.map(({ member }) => member.fork).find((one) => one?.of === common.account && one.seq === common.seq);
  return fork?.timeMs ?? (await timeOfEntry(parts, common));
}

/** When each account began, where its first entry is among those compared: its own curve begins there. */
const ownBeginnings = (asked: Both<Asked>, ways: Both<Way>, firstMs: Both<number | undefined>): number[] =>
  asked.flatMap(({ call }, at) => {
    const [first] = ways[at]?.stretches ?? [];
    return first?.journal.call.caller.accountId === call.caller.accountId && first.from === 1 ? (firstMs[at] ?? []) : [];
  });

/** Accounts on the ways that received commands, each with the one that they came from. */
function whatIfsOf(
  { ways }: Parting,
  originOf: (account: string) => { readonly of: string; readonly terms?: Terms | undefined } | undefined,
): { readonly of: string; readonly account: string }[] {
  return ways.flat().flatMap(({ account }) => {
    const origin = originOf(account);
    return origin?.terms === undefined ? [] : { of: origin.of, account };
  });
}

function describe({ call, member }: Asked, whatIfs: WhatIfsKnown) {
  const { fork } = member;
  if (fork?.terms === undefined) return { terms: null, waiting: null };
  return { terms: toWhatIfTerms(fork.terms), waiting: whatIfs.waitingOf(call.caller.accountId, fork) };
}

const pairOf = <T, R>([a, b]: Both<T>, read: (one: T) => R): [R, R] => [read(a), read(b)];
const bothOf = async <T, R>([a, b]: Both<T>, read: (one: T) => Promise<R>): Promise<[R, R]> =>
  await Promise.all([read(a), read(b)]);

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
const isoOrNull = (timeMs: number | undefined): string | null => (timeMs === undefined ? null : iso(timeMs));

interface ComparedEntries {
  readonly sides: Both<ComparedSide>;
  /** Entries after this time have not been read of both; undefined = all are read. */
  readonly untilMs: number | undefined;
  /** Time of the first entry of each; undefined = it has none. */
  readonly firstMs: Both<number | undefined>;
}

type Parts = AsyncIterator<WayPart>;

/** Reads what two accounts have done since they parted, side by side in the order of time, up to what one request may read. */
async function readBoth(
  ways: Both<AsyncGenerator<WayPart>>,
  options: SideOptions,
  { entriesMax = ENTRIES_MAX, charsMax = CHARS_MAX } = {},
): Promise<ComparedEntries> {
  const sides = [new ComparedSide(options), new ComparedSide(options)] as const;
  const heads: [WayPart | undefined, WayPart | undefined] = [await nextOf(ways[0]), await nextOf(ways[1])];
  const firstMs = [heads[0]?.timeMs, heads[1]?.timeMs] as const;
  let [entries, chars] = [0, 0];
  try {
    while (heads[0] !== undefined || heads[1] !== undefined) {
      const at = (heads[0]?.timeMs ?? Number.POSITIVE_INFINITY) <= (heads[1]?.timeMs ?? Number.POSITIVE_INFINITY) ? 0 : 1;
      const part = heads[at] as WayPart;
      if (entries >= entriesMax || (entries > 0 && chars + part.chars > charsMax))
        return { sides, untilMs: part.timeMs - 1, firstMs };
      entries += 1;
      chars += part.chars;
      if ('entry' in part) sides[at].add(part.entry);
      else sides[at].addLost(part.account, part.lost, part.timeMs);
      heads[at] = await nextOf(ways[at]);
    }
    return { sides, untilMs: undefined, firstMs };
  } finally {
    await Promise.all(ways.map((way) => way.return(undefined)));
  }
}

async function nextOf(parts: Parts): Promise<WayPart | undefined> {
  const { done, value } = await parts.next();
  return done ? undefined : value;
}
