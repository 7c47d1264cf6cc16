// May this account send an action at all (trading-rules 1.8)? Asked before anything else of an action, where ADDRESS_LIMIT is on. A
// refused action changes nothing, not even the count, and is no entry: an account beyond its limit costs its owner as little as
// a question.
import type { Account } from '../../../actors/core/account/account.ts';
import { NOT_LIMITED, requestCountOf } from '../../../actors/core/account/limits.ts';
import type { Decision } from '../../../actors/core/fold/draft.ts';
import type { EvolveSteps } from '../../../actors/core/fold/evolve.ts';
import { type CommandOf, type Context, clockOf, type Prelude } from '../../../actors/core/fold/pipeline.ts';
import { withdrawable } from '../../../actors/core/margin/margin.ts';
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';

/** Between two requests beyond the limit. */
const PAUSE_MS = 10_000;

/** Cancels may go on beyond the limit by this many, and by as many again as the limit is. */
const CANCELS_BEYOND = 100_000;

/** Which limit a command is under: what the owner of the account has not sent is under none, nor is what pays for more. */
const KINDS: { readonly [Type in Exclude<AccountCommand['type'], 'inLab'>]: 'action' | 'cancel' | 'free' } = {
  placeOrders: 'action',
  modifyOrders: 'action',
  updateLeverage: 'action',
  updateIsolatedMargin: 'action',
  topUpIsolatedMargin: 'action',
  scheduleCancel: 'action',
  startTwap: 'action',
  cancelOrders: 'cancel',
  cancelTwap: 'cancel',
  beginFork: 'free',
  importAccount: 'free',
  followAddress: 'free',
  followSource: 'free',
  unfollowAddress: 'free',
  createSubAccount: 'action',
  renameSubAccount: 'action',
  sendTransfer: 'action',
  receiveTransfer: 'free',
  settleTransfer: 'free',
  addMirror: 'free',
  mirrored: 'free',
  settleMirror: 'free',
  reserveRequests: 'free',
  openAccount: 'free',
  topUp: 'free',
  resetAccount: 'free',
  setBalance: 'free',
  creditPlan: 'free',
  setHouseRules: 'free',
  setTerms: 'free',
  closeAccount: 'free',
  forgetHistory: 'free',
  noteLab: 'free',
  query: 'free',
};

/** The limit refuses an action beyond it, or lets the action through with a pause after it: 10 s for each request that the action counts for. */
export function checkAddressLimit(account: Account, command: AccountCommand, context: Context): Prelude | undefined {
  const kind = KINDS[command.type === 'inLab' ? command.command.type : command.type];
  if (!context.addressLimit || kind === 'free') return undefined;
  const { used, cap } = requestCountOf(account);
  const limit = kind === 'cancel' ? Math.min(cap + CANCELS_BEYOND, cap * 2) : cap;
  if (used < limit) return undefined;
  const { nextAtMs } = account.addressLimit ?? NOT_LIMITED;
  const clockMs = clockOf(context);
  if (clockMs >= nextAtMs) {
    return { last: ({ requests }) => ({ type: 'requestLetThrough', nextAtMs: clockMs + Math.max(1, requests) * PAUSE_MS }) };
  }
  const outcome = { type: 'refused', text: refusalText(account, used, limit) } as const;
  return { refusal: { events: [], outcome, requests: 0, leavesNoEntry: true } };
}

/** The venue compares with the last number that is allowed. */
function refusalText({ totals }: Account, used: number, limit: number): string {
  const volume = totals.volumeUsd.toFixed();
  return (
    `Too many cumulative requests sent (${used} > ${limit - 1}) for cumulative volume traded $${volume}. ` +
    'Place taker orders to free up 1 request per USDC traded.'
  );
}

/** USD for one request. */
const REQUEST_PRICE = new Decimal('0.0005');

const TOO_DEAR = 'Insufficient balance to reserve request weight.';

/**
 * Pays for requests beyond the address limit (trading-rules 1.8): a withdrawal from cash, and the number that the count of requests is less
 * from then on. At most what could leave the account (rule 4.7). A weight of 0 changes nothing.
 */
export function reserveRequests(account: Account, { weight }: CommandOf<'reserveRequests'>, { market }: Context): Decision {
  const usd = REQUEST_PRICE.times(weight);
  if (usd.gt(withdrawable(account, market))) return { events: [], outcome: { type: 'refused', text: TOO_DEAR }, requests: 1 };
  if (weight === 0) return { events: [], outcome: { type: 'done' }, requests: 1 };
  const paid = { type: 'balanceAdjusted', usd: usd.neg().toString() } as const;
  return { events: [paid, { type: 'requestsReserved', weight }], outcome: { type: 'done' }, requests: 1 };
}

export const addressLimitSteps: EvolveSteps<'requestsReserved' | 'requestLetThrough'> = {
  requestsReserved({ account }, { weight }) {
    const { addressLimit = NOT_LIMITED } = account;
    account.addressLimit = { ...addressLimit, reserved: addressLimit.reserved + weight };
  },
  requestLetThrough({ account }, { nextAtMs }) {
    account.addressLimit = { ...(account.addressLimit ?? NOT_LIMITED), nextAtMs };
  },
};
