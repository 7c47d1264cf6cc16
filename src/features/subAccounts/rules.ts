// Sub-accounts, and transfers of USD between the accounts of one user.

import type { Account } from '../../actors/core/account/account.ts';
import { type Following, isSameOrigin } from '../../actors/core/account/copies.ts';
import {
  NAME_CHARS_MAX,
  type TransfersWith,
  transfersWith,
  wasReceived,
  withReceived,
  withSent,
  withSettled,
} from '../../actors/core/account/subAccounts.ts';
import { type Decision, quiet } from '../../actors/core/fold/draft.ts';
import type { EvolveSteps } from '../../actors/core/fold/evolve.ts';
import type { Asked, CommandOf, Context } from '../../actors/core/fold/pipeline.ts';
import type { WritableAccount } from '../../actors/core/fold/writableAccount.ts';
import { withdrawable } from '../../actors/core/margin/margin.ts';
import type { AccountEvent } from '../../actors/core/messages/event.ts';
import type { FollowingView } from '../../actors/core/messages/importReport.ts';
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import { overview } from '../../actors/core/views/overview.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';

/**
 * A master account makes sub-accounts and names them. The decision is the master's alone, so of two requests at once for the last place
 * one is refused, and a repeated command makes none a second time.
 * @param command.limit how many the plan of this moment allows
 */
export function createSubAccount(account: Account, command: CommandOf<'createSubAccount'>): Decision {
  const { name, limit, fork } = command;
  const known = account.subAccounts?.findIndex(
    (each) => each.name === name && each.fork && fork && isSameOrigin(each.fork, fork),
  );
  // Asked for again, by a client that has heard nothing of the first time: there is one such fork.
  if (known !== undefined && known >= 0)
    return { events: [], outcome: { type: 'subAccountCreated', number: known + 1 }, requests: 1 };
  const refusal = whyNot(account, command);
  if (refusal !== undefined) return refused(refusal);
  const number = (account.subAccounts?.length ?? 0) + 1;
  if (number > limit) return refused(`Too many sub-accounts: the plan has ${limit}.`);
  const created = { type: 'subAccountCreated', number, name, ...(fork && { fork }) } as const;
  return { events: [created], outcome: { type: 'subAccountCreated', number }, requests: 1 };
}

/** The name that it has already is no change. */
export function renameSubAccount(account: Account, command: CommandOf<'renameSubAccount'>): Decision {
  const { number, name } = command;
  const known = account.subAccounts?.[number - 1];
  if (known === undefined) return refused('Sub-account does not exist.');
  if (known.name === name) return { events: [], outcome: { type: 'done' }, requests: 1 };
  const refusal = whyNot(account, command);
  if (refusal !== undefined) return refused(refusal);
  return { events: [{ type: 'subAccountRenamed', number, name }], outcome: { type: 'done' }, requests: 1 };
}

function whyNot(account: Account, command: CommandOf<'createSubAccount' | 'renameSubAccount'>): string | undefined {
  const { name } = command;
  const own = command.type === 'renameSubAccount' ? command.number - 1 : undefined;
  const chars = [...name].length;
  if (chars === 0 || chars > NAME_CHARS_MAX) return `The name of a sub-account has 1 to ${NAME_CHARS_MAX} characters.`;
  if (account.subAccounts?.some((each, at) => at !== own && looksLike(each.name, name)))
    return 'Another sub-account has this name.';
  return undefined;
}

/** Texts that are written alike: an accent is a character of its own or part of one, and spaces around are not seen. */
const looksLike = (a: string, b: string): boolean => shown(a) === shown(b);
const shown = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim();

const refused = (text: string): Decision => ({ events: [], outcome: { type: 'refused', text }, requests: 1 });

/** To one account and not received yet: the receiver remembers no more out of order. */
const UNDER_WAY_MAX = 16;

/**
 * Moves USD between two accounts of one user, each of which decides alone: the sender lets the money go, the receiver takes it once, and
 * the sender is told. Every step may come again, late or in another order; none changes anything a second time (ADR 21).
 * What may leave the account (rule 4.7) goes at once. The number is the entry's time, or follows the last one's.
 */
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
  return quiet(isKnown ? [] : [...opening, { type: 'transferReceived', from, number, after, usd }]);
}

/** The receiver has it: it is not delivered any more. */
export function settleTransfer(account: Account, { to, number }: CommandOf<'settleTransfer'>): Decision {
  const isUnderWay = transfersWith(account.transfers, to).underWay.some((sent) => sent.number === number);
  return quiet(isUnderWay ? [{ type: 'transferSettled', to, number }] : []);
}

export const subAccountSteps: EvolveSteps<
  'subAccountCreated' | 'subAccountRenamed' | 'transferSent' | 'transferReceived' | 'transferSettled'
> = {
  subAccountCreated({ account }, { name, fork }, timeMs) {
    account.subAccounts = [...(account.subAccounts ?? []), { name, createdAtMs: timeMs, ...(fork && { fork }) }];
  },
  subAccountRenamed({ account }, { number, name }) {
    account.subAccounts = account.subAccounts?.map((each, at) => (at + 1 === number ? { ...each, name } : each));
  },
  transferSent({ account }, { to, number, after, usd: text }, timeMs) {
    const usd = new Decimal(text);
    moveCash(account, usd.neg());
    keep(account, to, withSent(transfersWith(account.transfers, to), { number, after, usd, sentAtMs: timeMs }));
  },
  transferReceived({ account }, event) {
    moveCash(account, new Decimal(event.usd));
    keep(account, event.from, withReceived(transfersWith(account.transfers, event.from), event));
  },
  transferSettled({ account }, { to, number }) {
    keep(account, to, withSettled(transfersWith(account.transfers, to), number));
  },
};

type WritableState = WritableAccount['account'];

/** A deposit or withdrawal as far as figures of profit go. */
function moveCash(state: WritableState, usd: Decimal): void {
  state.cash = state.cash.plus(usd);
  state.totals = { ...state.totals, netDepositsUsd: state.totals.netDepositsUsd.plus(usd) };
}

/** In a map of its own: a decision may share the one before with the account. */
function keep(state: WritableState, accountId: string, one: TransfersWith): void {
  state.transfers = new Map(state.transfers).set(accountId, one);
}

/** Sub-accounts of a master, oldest first. */
export function listSubAccounts({ subAccounts: made = [] }: Account): AnswerOf<'subAccounts'> {
  return { kind: 'subAccounts', subAccounts: made.map((each, at) => ({ number: at + 1, ...each })) };
}

/** The account and its transfers at one moment: with the sums over both accounts of a pair, what is under way counts once. */
export function groupMember(account: Account, _: unknown, { market, nowMs }: Asked): AnswerOf<'groupMember'> {
  const transfers = [...(account.transfers ?? [])].map(([other, { sentUsd, receivedUsd, underWay }]) => ({
    account: other,
    sentUsd: toWire(sentUsd),
    receivedUsd: toWire(receivedUsd),
    underWay: underWay.map(({ number, usd, sentAtMs }) => ({ number, usd: toWire(usd), sentAtMs })),
  }));
  const { fork, mirrors, imported, following } = account;
  return {
    kind: 'groupMember',
    overview: overview(account, market, Math.max(nowMs, account.timeMs)).overview,
    transfers,
    ...(fork && { fork: { ...fork, usd: toWire(fork.usd) } }),
    ...(mirrors && { mirrors: { last: mirrors.last, to: mirrors.to } }),
    ...(imported && { imported: { ...imported, usd: toWire(imported.usd) } }),
    ...(following && { following: followingView(following) }),
  };
}

const followingView = ({ id, sinceMs, cursorMs, orders }: Following): FollowingView => {
  const copies = [...orders.values()].filter(({ oid, isOver }) => oid !== undefined && !isOver);
  return { id, sinceMs, throughMs: cursorMs, copies: copies.length };
};
