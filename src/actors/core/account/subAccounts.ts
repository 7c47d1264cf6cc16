// What an account remembers of the other accounts of its user: its sub-accounts, and transfers with each.
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { ForkOrigin } from '../messages/command.ts';

// The sub-accounts of a master account. The master's journal says which there are: they are made once, in order, and never removed.
// Each is an account of its own, with an id that follows from its master and its number; this module does not know it.

/** The first has number 1: a number is one more than the place in the list. */
export interface SubAccount {
  /** As the user named it; 1 to 16 characters. */
  readonly name: string;
  readonly createdAtMs: number;
  /** Of one that begins with the state of another account. Absent = it begins empty. */
  readonly fork?: ForkOrigin | undefined;
}

export const NAME_CHARS_MAX = 16;

// What an account knows of transfers with other accounts of its user: USD that left for one, and USD that came from one. Shards share no
// commit, so a transfer is an entry of the sender and, later, one of the receiver. Until the sender knows of the second the transfer is
// under way, and its owner delivers it again and again; the receiver remembers what it has had, so it is received once.

/** A transfer that has left and of which the sender does not know yet that it was received. */
export interface TransferUnderWay {
  /** Names it among those to the same account. Rises with the time, so none is used twice even where Redis has lost a journal's end. */
  readonly number: number;
  /** Number of the one before it to the same account; 0 = it is the first. */
  readonly after: number;
  /** USD > 0. */
  readonly usd: Decimal;
  readonly sentAtMs: number;
}

/** With one other account. */
export interface TransfersWith {
  /** Number of the newest that was sent to it; 0 = none. */
  readonly lastSent: number;
  /** Sums over the life of both accounts, USD; a reset keeps them. */
  readonly sentUsd: Decimal;
  readonly receivedUsd: Decimal;
  /** Sent and not settled, oldest first. */
  readonly underWay: readonly TransferUnderWay[];
  /** All of its transfers up to this number were received. */
  readonly receivedThrough: number;
  /** Received beyond it, before one that was sent earlier. As many as may be under way. */
  readonly receivedBeyond: readonly ReceivedEarly[];
}

export interface ReceivedEarly {
  readonly number: number;
  readonly after: number;
}

/** By the other account's id. Absent in an account without any. */
export type Transfers = ReadonlyMap<string, TransfersWith>;

const NONE: TransfersWith = {
  lastSent: 0,
  sentUsd: ZERO,
  receivedUsd: ZERO,
  underWay: [],
  receivedThrough: 0,
  receivedBeyond: [],
};

export const transfersWith = (transfers: Transfers | undefined, accountId: string): TransfersWith =>
  transfers?.get(accountId) ?? NONE;

/** True for one that was received before. */
export function wasReceived({ receivedThrough, receivedBeyond }: TransfersWith, number: number): boolean {
  return number <= receivedThrough || receivedBeyond.some((early) => early.number === number);
}

export function withSent(one: TransfersWith, sent: TransferUnderWay): TransfersWith {
  return { ...one, lastSent: sent.number, sentUsd: one.sentUsd.plus(sent.usd), underWay: [...one.underWay, sent] };
}

export function withSettled(one: TransfersWith, number: number): TransfersWith {
  return { ...one, underWay: one.underWay.filter((sent) => sent.number !== number) };
}

/** One that starts at or before what is known follows it, also where its sender has lost what it had sent in between. */
export function withReceived(one: TransfersWith, received: ReceivedEarly & { readonly usd: string }): TransfersWith {
  const { number, after, usd } = received;
  let through = one.receivedThrough;
  const early = [...one.receivedBeyond, { number, after }].sort((a, b) => a.number - b.number);
  while (early[0] !== undefined && early[0].after <= through) through = (early.shift() as ReceivedEarly).number;
  return { ...one, receivedUsd: one.receivedUsd.plus(usd), receivedThrough: through, receivedBeyond: early };
}

/** Transfers of the account that nobody has told it were received, with their receivers. */
export function* allUnderWay(
  transfers: Transfers | undefined,
): Iterable<{ readonly to: string; readonly sent: TransferUnderWay }> {
  for (const [to, { underWay }] of transfers ?? []) for (const sent of underWay) yield { to, sent };
}
