// What an account has done, as far as it can be compared with what another account has done: an order that rests, a fill, a payment. Facts
// of one thing (an order, a TWAP, the funding of an hour) are a story; two accounts do the same as long as their stories go alike.
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { OrderView } from '../../../actors/core/messages/order.ts';
import { REJECTIONS } from '../../../actors/core/messages/rejection.ts';

/** A command of account `of`, by the number under which it goes to its what-ifs. */
export interface CommandName {
  readonly of: string;
  readonly number: number;
}

export const WHATS = [
  ...(['filled', 'rested', 'waits', 'triggered', 'resized', 'ended', 'liquidated', 'closed', 'twap'] as const),
  ...(['funding', 'money', 'leverage', 'margin', 'rule', 'reset', 'lost'] as const),
] as const;
type What = (typeof WHATS)[number];

/** What an event says of a thing. */
export interface Said {
  readonly what: What;
  /** Names the thing; of an order by its id. */
  readonly thing: { readonly oid: number } | string;
  /** Facts that have the same text are the same. */
  readonly same: string;
  readonly coin?: string;
  /** Text of an order's own description: two orders of one command that have it are one. */
  readonly form?: string;
  /** When the order was placed, where the event says it. */
  readonly placedAtMs?: number;
  /** The story can begin with it, whenever the order was placed: nothing of the order was before. */
  readonly begins?: true;
}

export interface JournalFact extends Said {
  readonly account: string;
  readonly seq: number;
  readonly timeMs: number;
  /** The commands that it happened in, under the names that other accounts know; none = a market event, or a command that goes nowhere. */
  readonly commands: readonly CommandName[];
  /** Whether the entry was a command's. */
  readonly isOfCommand: boolean;
  /** After the entry or, where it changes none, before; USD. */
  readonly accountValue?: string;
  readonly event: AccountEvent | LostStretch;
}

/** Entries of a journal that count no more, or are gone. */
export interface LostStretch {
  readonly type: 'entriesLost';
  readonly from: number;
  readonly to: number;
}

/** @returns undefined for what shows in other facts, or is the account's own affair */
export function saidOf(event: AccountEvent | LostStretch): Said | undefined {
  switch (event.type) {
    case 'orderFilled':
      return filled(event);
    case 'orderRested':
      return { what: 'rested', ...ofOrder(event.order), same: `${event.order.limitPrice} ${event.order.size}` };
    case 'triggerPlaced':
      return { what: 'waits', ...ofOrder(event.order), same: `${event.waitsFor} ${event.order.size}` };
    case 'triggerWaits':
      return { what: 'waits', ...ofOrder(event.order), same: `book ${event.order.size}` };
    case 'orderTriggered':
      return { what: 'triggered', ...ofOrder(event.order), same: '' };
    case 'orderResized':
      return { what: 'resized', ...ofOrder(event.order), same: event.order.size };
    case 'orderEnded':
      return { what: 'ended', ...ofOrder(event.order), same: `${event.status} ${event.order.filledSize}` };
    case 'positionTakenOver':
      return { what: 'liquidated', thing: 'liquidation', coin: event.coin, same: `${event.coin} ${event.usd} ${event.size}` };
    case 'liquidated':
      return { what: 'liquidated', thing: 'liquidation', same: JSON.stringify(event.positions) };
    case 'positionSettled':
    case 'positionClosed':
      return { what: 'closed', thing: `${event.type} ${event.coin}`, coin: event.coin, same: `${event.price} ${event.size}` };
    case 'twapStarted':
      return { what: 'twap', thing: twap(event.twap), coin: event.twap.coin, same: `started ${event.twap.size}`, begins: true };
    case 'twapTriggered':
      return { what: 'twap', thing: twap(event.twap), coin: event.twap.coin, same: 'triggered' };
    case 'twapEnded': {
      const { twap: ended, end } = event;
      return { what: 'twap', thing: twap(ended), coin: ended.coin, same: `${end.status} ${ended.executedSize}` };
    }
    case 'fundingSettled': {
      const { coin, timeMs, usd, hours } = event;
      return hours === 0 ? undefined : { what: 'funding', thing: `funding ${coin} ${timeMs}`, coin, same: usd };
    }
    case 'balanceAdjusted':
      return { what: 'money', thing: 'money', same: event.usd };
    case 'transferSent':
      return { what: 'money', thing: 'money', same: `-${event.usd}` };
    case 'transferReceived':
      return { what: 'money', thing: 'money', same: event.usd };
    case 'leverageSet':
      return { what: 'leverage', thing: `leverage ${event.asset}`, same: `${event.marginMode} ${event.leverage}` };
    case 'isolatedMarginMoved':
      return { what: 'margin', thing: `margin ${event.asset}`, same: event.usd };
    case 'houseRuleBroken': {
      const { rule, coin = '' } = event;
      return { what: 'rule', thing: `rule ${rule} ${coin}`, same: '', ...(coin !== '' && { coin }) };
    }
    case 'accountReset':
      return { what: 'reset', thing: 'reset', same: '' };
    case 'entriesLost':
      return { what: 'lost', thing: 'journal', same: `${event.from} ${event.to}` };
    default:
      return undefined;
  }
}

/** The same trade or the same place in a book gives the same fill; one by a later trade is another, at the same price, too. */
function filled(event: Extract<AccountEvent, { type: 'orderFilled' }>): Said {
  const { oid, coin, price, size, fee, liquidity, evidence, twapId, liquidation } = event;
  const trade = liquidity === 'maker' ? (evidence.tradeTid ?? '') : '';
  const thing = liquidation ? 'liquidation' : twapId === undefined ? { oid } : `twap ${twapId}`;
  const isAtOnce = liquidity === 'taker' && evidence.triggerPrice === undefined;
  const what = liquidation ? 'liquidated' : 'filled';
  return { what, thing, coin, same: `${price} ${size} ${fee} ${liquidity} ${trade}`, ...(isAtOnce && { begins: true }) };
}

function ofOrder(order: OrderView): Pick<Said, 'thing' | 'coin' | 'form' | 'placedAtMs'> {
  const { oid, coin, twapId, timeInForce, placedAtMs } = order;
  const isForced = timeInForce === 'liquidationMarket';
  const thing = isForced ? 'liquidation' : twapId === undefined ? { oid } : `twap ${twapId}`;
  return { thing, coin, form: formOf(order), placedAtMs };
}

const formOf = ({ asset, side, limitPrice, originalSize, requestedSize = originalSize, ...order }: OrderView): string => {
  const { reduceOnly, timeInForce, cloid, trigger } = order;
  return JSON.stringify([asset, side, limitPrice, requestedSize, reduceOnly, timeInForce, cloid, trigger?.price, trigger?.tpsl]);
};

const twap = ({ twapId }: { readonly twapId: number }): string => `twap ${twapId}`;

/** By status of an order that was refused: what the venue says where one check alone gives that status. */
const REFUSALS = new Map(
  Object.values(REJECTIONS)
    .filter(({ status }) => status !== 'rejected')
    .map(({ status, text }) => [status as string, text.replace(/ asset=\{asset\}$/, '').replace(/\{\w+\}/g, '…')]),
);

/** What a fact says, in words and numbers, for people. */
export function factText({ event, what }: JournalFact): string {
  switch (event.type) {
    case 'orderFilled': {
      const { side, size, price, liquidity, fee, liquidation } = event;
      return `${liquidation ? 'liquidation order: ' : ''}${side} ${size} at ${price}, ${liquidity}, fee ${fee} USD`;
    }
    case 'orderRested':
      return `rests at ${event.order.limitPrice}, ${event.order.size} left`;
    case 'triggerPlaced':
      return `waits for ${event.waitsFor === 'mark' ? 'the mark' : 'its parent to fill'}`;
    case 'triggerWaits':
      return `waits for a newer book, ${event.order.size} left: ${event.outOfReach === 'taken' ? 'the account had taken size inside its limit before' : 'its limit is beyond the levels shown'}`;
    case 'orderTriggered':
      return `its trigger fired at mark ${event.markPrice}`;
    case 'orderResized':
      return `cut to ${event.order.size}, what the position leaves to reduce`;
    case 'orderEnded': {
      const { status, order } = event;
      const refusal = REFUSALS.get(status);
      if (refusal !== undefined && order.filledSize === '0') return `refused (${status}): ${refusal}`;
      return status === 'rejected' ? 'refused' : `ended (${status}), ${order.filledSize} of ${order.originalSize} filled`;
    }
    case 'positionTakenOver':
      return `the house took over the position: ${event.side} ${event.size} ${event.coin} for ${event.usd} USD`;
    case 'liquidated':
      return `liquidation, ${event.marginMode}: account value ${event.accountValue} USD`;
    case 'positionSettled':
    case 'positionClosed':
      return `${event.type === 'positionSettled' ? 'settled' : 'closed'}: ${event.side} ${event.size} ${event.coin} at ${event.price}`;
    case 'twapStarted':
      return `TWAP of ${event.twap.size} ${event.twap.coin} began`;
    case 'twapTriggered':
      return `TWAP began at mark ${event.markPrice}`;
    case 'twapEnded':
      return `TWAP ${event.end.status}, ${event.twap.executedSize} of ${event.twap.size}`;
    case 'fundingSettled':
      return `funding ${event.usd} USD for ${event.signedSize} ${event.coin}`;
    case 'balanceAdjusted':
    case 'transferReceived':
      return `${event.usd} USD came`;
    case 'transferSent':
      return `${event.usd} USD went to another account`;
    case 'leverageSet':
      return `leverage ${event.leverage}x, ${event.marginMode}`;
    case 'isolatedMarginMoved':
      return `${event.usd} USD moved into the isolated margin`;
    case 'houseRuleBroken':
      return `house rule broken: ${event.rule}${event.found === undefined ? '' : `, ${event.found}`}`;
    case 'accountReset':
      return `reset to ${event.balanceUsd} USD`;
    case 'entriesLost':
      return `entries ${event.from} to ${event.to} count no more`;
    default:
      return what;
  }
}
