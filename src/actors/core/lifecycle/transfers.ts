// Moves USD between two accounts of one user, each of which decides alone: the sender lets the money go, the receiver takes it once, and
// the sender is told. Every step may come again, late or in another order; none changes anything a second time (ADR 21).
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { transfersWith, wasReceived } from '../account/group/transfers.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { withdrawable } from '../margin/margin.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';

type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;

/** To one account and not received yet: the receiver remembers no more out of order. */
const UNDER_WAY_MAX = 16;

/** What may leave the account (rule 4.7) goes at once. The number is the entry's time, or follows the last one's. */
export function sendTransfer(account: Account, command: CommandOf<'sendTransfer'>, context: Context): Decision {
  const { to, usd: text } = command;
  const usd = new Decimal(text);
  if (to === account.id) return refused('A transfer needs two accounts.');
  if (!usd.gt(0)) return refused('The amount of a transfer must be above 0.');
  const { lastSent, underWay } = transfersWith(account.transfers, to);
  if (underWay.length >= UNDER_WAY_MAX)
    return refused('Too many transfers to this account are under way. Try again in a moment.');
  const free = withdrawable(account, context.market);
  if (usd.gt(free)) return refused(`Insufficient balance for transfer: ${toWire(usd)} of ${toWire(free)} USD that may leave.`);
  const number = Math.max(context.nowMs, lastSent + 1);
  const sent: AccountEvent = { type: 'transferSent', to, number, after: lastSent, usd: usd.toString() };
  return { events: [sent], outcome: { type: 'transferSent', number, after: lastSent }, requests: 1 };
}

/** Takes what another account has sent. An account that was never opened is opened by it, with nothing. */
export function receiveTransfer(account: Account, command: CommandOf<'receiveTransfer'>): Decision {
  const { from, number, after, usd } = command;
  const opening: readonly AccountEvent[] = account.openedAtMs > 0 ? [] : [{ type: 'accountOpened', depositUsd: '0' }];
  const isKnown = wasReceived(transfersWith(account.transfers, from), number);
  const events: readonly AccountEvent[] = isKnown ? [] : [...opening, { type: 'transferReceived', from, number, after, usd }];
  return { events, outcome: { type: 'done' }, requests: 0, leavesNoEntry: true };
}

/** The receiver has it: it is not delivered any more. */
export function settleTransfer(account: Account, { to, number }: CommandOf<'settleTransfer'>): Decision {
  const isUnderWay = transfersWith(account.transfers, to).underWay.some((sent) => sent.number === number);
  const events: readonly AccountEvent[] = isUnderWay ? [{ type: 'transferSettled', to, number }] : [];
  return { events, outcome: { type: 'done' }, requests: 0, leavesNoEntry: true };
}

const refused = (text: string): Decision => ({ events: [], outcome: { type: 'refused', text }, requests: 1 });
