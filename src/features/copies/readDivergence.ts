import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import { inPieces } from '../../api/accounts/historyPages.ts';
import { askWithSeq, type Call, type Services } from '../../api/accounts/services.ts';
import type { AnswerFor } from '../../api/contract/answerValues.ts';
import { wireNumber } from '../../api/domain/wireText.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { type DIVERGENCE_BEGINS, type DivergenceReport, isoTime, toDivergenceRow, toDivergenceSums } from './divergenceSchema.ts';
import { partsOfWay, type Way, type WayParts, wayAfter, wayOf } from './keptJournal.ts';
import { Sum } from './rules/causes.ts';
import { FollowedAddress, type FollowedFill } from './rules/followed.ts';

/** A second of a node's time, in pieces. At most half of each bound goes to what was before `since`. */
interface ReadBounds {
  readonly entries: number;
  /** Characters of the entries' text. */
  readonly chars: number;
  /** Fills of the address. */
  readonly fills: number;
}
const READ_MAX: ReadBounds = { entries: 10_000, chars: 16 * 1024 * 1024, fills: 10_000 };

interface FollowedEntries {
  readonly followed: FollowedAddress;
  readonly begins: (typeof DIVERGENCE_BEGINS)[number];
  /** Of the first entry; undefined = there is none. */
  readonly fromMs: number | undefined;
  /** Entries after this time have not been read; undefined = all are read. */
  readonly untilMs: number | undefined;
  readonly entries: number;
  readonly lost: number;
}

interface Wish {
  readonly scale: string;
  readonly sinceMs: number | undefined;
  readonly bounds: ReadBounds;
}

/**
 * Reads what the account has done, up to what one request may read: entries before `since` as well, so that copies of then are known.
 * @throws {RequestError} 503, and as the gateway does
 */
async function readFollowed(parts: WayParts, wish: Wish): Promise<FollowedEntries> {
  const { sinceMs, bounds } = wish;
  const account = parts.call.caller.accountId;
  const whole = await wayOf(parts, [{ account, from: 1, to: undefined }]);
  const begins = whole.keptAfterMs === undefined ? 'whole' : 'kept';
  if (sinceMs === undefined) return { ...(await readWay(whole, wish)), begins };
  const after = await wayAfter(whole, sinceMs);
  const first = after.stretches[0]?.from ?? (parts.newest.get(account) ?? 0) + 1;
  const from = first - Math.floor(bounds.entries / 2);
  const stretches = whole.stretches.map((stretch) => ({ ...stretch, from: Math.max(stretch.from, from) }));
  const isCut = whole.stretches.some((stretch) => stretch.from < from);
  const read = await readWay({ ...whole, stretches }, wish);
  if (!read.isTooLong) return { ...read, begins: isCut ? 'since' : begins };
  return { ...(await readWay(after, wish)), begins: 'since' };
}

async function readWay(way: Way, { scale, sinceMs = -1, bounds }: Wish) {
  const followed = new FollowedAddress(new Decimal(scale));
  let [entries, chars, lost] = [0, 0, 0];
  let fromMs: number | undefined;
  const isFull = (share: number): boolean =>
    entries >= bounds.entries * share || chars >= bounds.chars * share || followed.fills.length >= bounds.fills * share;
  const read = (untilMs: number | undefined, isTooLong = false) => ({ followed, fromMs, untilMs, entries, lost, isTooLong });
  for await (const part of partsOfWay(way, () => undefined)) {
    const isBefore = part.timeMs <= sinceMs;
    if (isFull(1)) return read(Math.max(part.timeMs - 1, sinceMs + 1), isBefore);
    fromMs ??= part.timeMs;
    chars += part.chars;
    if ('entry' in part) {
      entries += 1;
      followed.add(part.entry);
    } else lost += part.lost.to - part.lost.from + 1;
    if (isBefore && isFull(1 / 2)) return read(undefined, true);
  }
  return read(undefined);
}

/** Fills of one answer, about a kilobyte each; those that were heard in one millisecond are not parted. */
const ROWS_MAX = 200;

interface DivergenceParts {
  readonly services: Pick<Services, 'gateway' | 'now'>;
  readonly mongo: MongoConnection;
  readonly bounds?: ReadBounds;
  readonly rowsMax?: number;
}

/** @throws {RequestError} 404 `unknown_mirror`; 503, and as the gateway does */
export async function readDivergence(
  { services, mongo, bounds = READ_MAX, rowsMax = ROWS_MAX }: DivergenceParts,
  call: Call,
  sinceMs: number | undefined,
): Promise<AnswerFor<typeof DivergenceReport>> {
  const nowMs = services.now();
  const { answer, seq } = await askWithSeq(call, services, { kind: 'groupMember' });
  const { source, scale } = importOf(answer);
  const account = call.caller.accountId;
  const parts = { services, mongo, call, newest: new Map([[account, seq]]), beginningOf: () => undefined };
  const read = await readFollowed(parts, { scale, sinceMs, bounds });
  const { followed, untilMs } = read;
  const [page, total] = [new Sum(), new Sum()];
  const { fills, next } = pageOf(read, sinceMs, rowsMax);
  await inPieces(upTo(followed.fills, untilMs), (piece) => addAll(total, piece, read));
  await inPieces(fills, (piece) => addAll(page, piece, read));
  return {
    ...{ account, address: source, scale: wireNumber(scale) },
    fills: fills.map((fill) => toDivergenceRow(fill, followed.compared(fill))),
    page: toDivergenceSums(page),
    total: toDivergenceSums(total),
    unclaimed_usd: toWire(followed.unclaimedUsd),
    begins: read.begins,
    from: read.fromMs === undefined ? null : isoTime(read.fromMs),
    to: isoTime(untilMs ?? nowMs),
    complete: untilMs === undefined,
    next: next === undefined ? null : isoTime(next),
    ...{ entries_read: read.entries, entries_lost: read.lost },
  };
}

function importOf({ imported }: AnswerOf<'groupMember'>) {
  if (imported !== undefined) return imported;
  throw new RequestError(404, 'unknown_mirror', 'The account did not begin with an address of the venue.');
}

function pageOf({ followed, untilMs }: FollowedEntries, sinceMs: number | undefined, rowsMax: number) {
  const heard = upTo(followed.fills, untilMs).filter(({ heardMs }) => heardMs > (sinceMs ?? -1));
  const lastMs = heard[rowsMax - 1]?.heardMs;
  const fills = upTo(heard, lastMs);
  return { fills, next: fills.length < heard.length ? lastMs : untilMs };
}

/** Times of entries do not fall. */
const upTo = (fills: readonly FollowedFill[], timeMs: number | undefined): readonly FollowedFill[] =>
  timeMs === undefined ? fills : fills.filter(({ heardMs }) => heardMs <= timeMs);

function addAll(sum: Sum, fills: readonly FollowedFill[], { followed }: FollowedEntries): void {
  for (const fill of fills) {
    if (fill.copied === 'unread') sum.addUnread();
    else sum.add(followed.compared(fill));
  }
}
