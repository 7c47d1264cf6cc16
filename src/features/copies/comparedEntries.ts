// Reads what two accounts have done since they parted, side by side in the order of time, up to what one request may read.

import type { AnswerOf, ForkView, MirrorsView, MirrorView } from '../../actors/core/messages/queryAnswer.ts';
import { askAccount } from '../../api/accounts/accountQuery.ts';
import type { Call, Services } from '../../api/accounts/services.ts';
import type { WayPart } from './keptJournal.ts';
import type { Both } from './rules/differences.ts';
import { Side, type SideOptions } from './rules/side.ts';

/** Of both accounts, in one request: a second or two of a node's time, in pieces. */
const ENTRIES_MAX = 10_000;
/** Characters of the entries' text. */
const CHARS_MAX = 16 * 1024 * 1024;

interface ComparedEntries {
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

// What sources say of the what-ifs that their commands go to: by which numbers, how far, and whether they still do.

interface Asked {
  readonly call: Call;
  readonly member: AnswerOf<'groupMember'>;
}

export class MirrorsKnown {
  /** By source. */
  readonly #mirrors: ReadonlyMap<string, MirrorsView | undefined>;
  /** Sources that were asked for it. */
  readonly asked: number;

  private constructor(mirrors: ReadonlyMap<string, MirrorsView | undefined>, asked: number) {
    this.#mirrors = mirrors;
    this.asked = asked;
  }

  /** @param known accounts that were asked already @throws as the gateway does */
  static async ask(
    services: Pick<Services, 'gateway'>,
    known: Both<Asked>,
    whatIfs: readonly { readonly of: string }[],
  ): Promise<MirrorsKnown> {
    const mirrors = new Map(known.map(({ call, member }) => [call.caller.accountId, member.mirrors]));
    const others = [...new Set(whatIfs.map(({ of }) => of))].filter((of) => !mirrors.has(of));
    const [{ call }] = known;
    for (const of of others) {
      const source = { ...call, caller: { ...call.caller, accountId: of, address: of } };
      mirrors.set(of, (await askAccount(source, services, { kind: 'groupMember' })).mirrors);
    }
    return new MirrorsKnown(mirrors, others.length);
  }

  /** Undefined: the source knows none, or no longer. */
  of(source: string, whatIf: string): MirrorView | undefined {
    return this.#mirrors.get(source)?.to.find(({ account }) => account === whatIf);
  }

  /** Accounts whose commands still come to this one. */
  liveOf(whatIf: string, source: string | undefined): ReadonlySet<string> {
    const mirror = source === undefined ? undefined : this.of(source, whatIf);
    return new Set(source !== undefined && mirror !== undefined && mirror.ended === undefined ? [source] : []);
  }

  /** Commands that it has not had yet; null: it receives none. */
  waitingOf(whatIf: string, { of, received = 0 }: ForkView): number | null {
    const mirror = this.of(of, whatIf);
    if (mirror === undefined || mirror.ended !== undefined) return null;
    return Math.max(0, (this.#mirrors.get(of)?.last ?? 0) - mirror.start - received);
  }
}
