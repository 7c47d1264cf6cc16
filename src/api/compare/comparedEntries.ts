// Reads what two accounts have done since they parted, side by side in the order of time, up to what one request may read.
import type { Both } from '../domain/compare/differences.ts';
import { Side, type SideOptions } from '../domain/compare/side.ts';
import type { WayPart } from './keptWay.ts';

/** Of both accounts, in one request: a second or two of a node's time, in pieces. */
const ENTRIES_MAX = 10_000;
/** Characters of the entries' text. */
const CHARS_MAX = 16 * 1024 * 1024;

export interface ComparedEntries {
  readonly sides: Both<Side>;
  /** Entries after this time have not been read of both; undefined = all are read. */
  readonly untilMs: number | undefined;
  /** Time of the first entry of each; undefined = it has none. */
  readonly firstMs: Both<number | undefined>;
}

type Parts = AsyncIterator<WayPart>;

export async function readBoth(
  ways: Both<AsyncGenerator<WayPart>>,
  options: SideOptions,
  { entriesMax = ENTRIES_MAX, charsMax = CHARS_MAX } = {},
): Promise<ComparedEntries> {
  const sides = [new Side(options), new Side(options)] as const;
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
