// Reads what a mirrored account has done, up to what one request may read: entries before `since` as well, so that copies of then are known.
import { Decimal } from '../../shared/domain/decimal.ts';
import { partsOfWay, type Way, type WayParts, wayAfter, wayOf } from '../compare/keptWay.ts';
import { Followed } from '../domain/divergence/followed.ts';
import type { BEGINS } from './divergenceSchema.ts';

/** A second of a node's time, in pieces. At most half of each bound goes to what was before `since`. */
export interface ReadBounds {
  readonly entries: number;
  /** Characters of the entries' text. */
  readonly chars: number;
  /** Fills of the address. */
  readonly fills: number;
}
export const READ_MAX: ReadBounds = { entries: 10_000, chars: 16 * 1024 * 1024, fills: 10_000 };

export interface FollowedEntries {
  readonly followed: Followed;
  readonly begins: (typeof BEGINS)[number];
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

/** @throws {RequestError} 503, and as the gateway does */
export async function readFollowed(parts: WayParts, wish: Wish): Promise<FollowedEntries> {
  const { sinceMs, bounds } = wish;
  const account = parts.call.caller.accountId;
  const whole = await wayOf(parts, [{ account, from: 1, to: undefined }]);
  const begins = whole.keptAfterMs === undefined ? 'whole' : 'kept';
  if (sinceMs === undefined) return { ...(await readWay(whole, wish)), begins };
  const after = await wayAfter(parts.mongo, whole, sinceMs);
  const first = after.stretches[0]?.from ?? (parts.newest.get(account) ?? 0) + 1;
  const from = first - Math.floor(bounds.entries / 2);
  const stretches = whole.stretches.map((stretch) => ({ ...stretch, from: Math.max(stretch.from, from) }));
  const isCut = whole.stretches.some((stretch) => stretch.from < from);
  const read = await readWay({ ...whole, stretches }, wish);
  if (!read.isTooLong) return { ...read, begins: isCut ? 'since' : begins };
  return { ...(await readWay(after, wish)), begins: 'since' };
}

async function readWay(way: Way, { scale, sinceMs = -1, bounds }: Wish) {
  const followed = new Followed(new Decimal(scale));
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
