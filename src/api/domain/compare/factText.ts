// What a fact says, in words and numbers, for people.
import { REJECTIONS } from '../../../actors/core/messages/rejection.ts';
import type { Fact } from './facts.ts';

/** By status of an order that was refused: what the venue says where one check alone gives that status. */
const REFUSALS = new Map(
  Object.values(REJECTIONS)
    .filter(({ status }) => status !== 'rejected')
    .map(({ status, text }) => [status as string, text.replace(/ asset=\{asset\}$/, '').replace(/\{\w+\}/g, '…')]),
);

export function factText({ event, what }: Fact): string {
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
