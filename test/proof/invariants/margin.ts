// Invariants about margin: the free margin after an order, the bounds of a change of leverage, the price of a liquidation.
import { type Account, emptyAccount } from '../../../src/actors/core/account/account.ts';
import { freeMargin } from '../../../src/actors/core/margin/margin.ts';
import type { PositionView } from '../../../src/actors/core/messages/accountFigures.ts';
import { accountState } from '../../../src/actors/core/views/accountState.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';
import { Fraction } from '../../support/fraction.ts';
import { maintenance } from '../../support/marginOracle.ts';
import { demand, fillsOf, same, sum, tiersOf } from '../facts.ts';
import type { Invariant, Moment } from '../life.ts';
import { expectSameState } from '../sameState.ts';

/** Each maintenance is cut after 6 decimals, and the price that is shown is rounded after 10. */
const CUTS_USD = new Decimal('0.00001');

export const MARGIN: readonly Invariant[] = [
  {
    name: 'invariant 7',
    says: 'an accepted order that opens leaves free margin, and no isolated position below its maintenance; a refused one changes nothing but the record of its refusal',
    watch: () => (moment) => {
      const { step, events, outcome, account, market } = moment;
      if (step === 'opening' || step.kind !== 'place' || outcome?.type !== 'orders' || outcome.orders.length !== 1) return;
      if (moment.hadDue) return;
      const [answer] = outcome.orders;
      if (answer?.type === 'error') {
        same(events.map(({ type }) => type).join(), 'orderEnded', 'what a refusal records');
        expectSameState(withoutBookkeeping(account), withoutBookkeeping(moment.before), 'the state after a refusal');
      } else if (fillsOf(events).some(({ direction }) => direction.includes('Open') || direction.includes('>'))) {
        demand(!freeMargin(account, market).isNeg(), () => `free is ${freeMargin(account, market).toString()}`);
        expectAboveMaintenance(moment);
      }
    },
  },
  {
    name: 'invariant 8',
    says: 'no order that only reduces is refused for margin',
    watch: () => (moment) => {
      const { step, outcome } = moment;
      if (step === 'opening' || step.kind !== 'place' || outcome?.type !== 'orders') return;
      const [order, ...others] = step.orders;
      outcome.orders.forEach((answer, index) => {
        if (step.orders[index]?.reduceOnly && answer.type === 'error') {
          demand(!/margin/.test(answer.text), `a reduce-only order was answered ${answer.text}`);
        }
      });
      const [answer] = outcome.orders;
      if (!order || others.length > 0 || answer?.type !== 'error' || moment.before.orders.size > 0) return;
      const { before } = moment;
      const held = before.positions.get(assetOfCoin(order.coin))?.signedSize ?? new Decimal(0);
      const size = new Decimal(order.size).div(10);
      const reduces = held.isPos() !== (order.side === 'buy') && held.abs().gte(size);
      demand(!(reduces && /margin/.test(answer.text)), `an order that reduces was answered ${answer.text}`);
    },
  },
  {
    name: 'invariant 20',
    says: 'at the liquidation price equity is maintenance, and a position is safe as long as the mark has not reached it',
    watch: () => (moment) => {
      if (!moment.isNews) return;
      const { state, market } = moment;
      for (const position of state.positions) {
        const equity = equityBehind(position, state.positions, { market, crossValue: state.crossMarginSummary.accountValue });
        expectSolved(position, equity, market);
      }
    },
  },
  {
    name: 'invariant 21',
    says: 'leverage changes neither value, cash, buckets nor liquidation prices, and raising it never lowers what is free',
    watch: () => (moment) => {
      const { step, account, market, outcome, state: now } = moment;
      if (step === 'opening' || step.kind !== 'leverage' || outcome?.type !== 'done' || moment.hadDue) return;
      const { before } = moment;
      const old = accountState(before, market, market.nowMs);
      same(now.marginSummary.accountValue, old.marginSummary.accountValue, 'account value');
      same(account.cash, before.cash, 'cash');
      const shown = (positions: readonly PositionView[]) =>
        positions.map(({ asset, liquidationPrice, leverage }) => [
          asset,
          liquidationPrice,
          'rawUsd' in leverage ? leverage.rawUsd : null,
        ]);
      same(JSON.stringify(shown(now.positions)), JSON.stringify(shown(old.positions)), 'buckets and liquidation prices');
      const asset = assetOfCoin(step.coin);
      const from = before.leverage.get(asset)?.leverage ?? market.asset(asset)?.maxLeverage ?? 1;
      const [freeBefore, free] = [freeMargin(before, market), freeMargin(account, market)];
      if (step.leverage > from) demand(free.gte(freeBefore), `free fell from ${freeBefore.toString()} to ${free.toString()}`);
    },
  },
];

/** An isolated position that was opened is there, and not liquidatable. */
function expectAboveMaintenance({ events, state, market }: Moment): void {
  const asset = fillsOf(events).findLast(({ liquidation }) => !liquidation)?.asset;
  const isTaken = events.some((event) => event.type === 'positionTakenOver' && event.asset === asset);
  demand(!isTaken, () => `what was opened in ${asset} was taken over at once`);
  const position = state.positions.find((held) => held.asset === asset);
  if (position?.leverage.type !== 'isolated') return;
  const least = maintenanceOf(position, new Decimal(position.positionValue), market);
  demand(
    new Decimal(position.marginUsed).gte(least),
    () => `${position.marginUsed} USD for ${asset}, whose maintenance is ${least}`,
  );
}

/** The state without what every entry changes. */
function withoutBookkeeping(account: Account): Account {
  const { id, commandIds, rowCounts } = emptyAccount('');
  return { ...account, id, seq: 0, timeMs: 0, commandIds, rowCounts, totals: { ...account.totals, requestsUsed: 0 } };
}

function assetOfCoin(coin: number): number {
  return coin + 2;
}

type Market = Moment['market'];

function maintenanceOf({ asset }: Pick<PositionView, 'asset'>, notional: Decimal, market: Market): Decimal {
  return new Decimal(maintenance(Fraction.of(notional.toFixed()), tiersOf(market, asset)).text());
}

/** Isolated: the bucket's equity. Cross: the value of the cross account without the maintenance of the others. */
function equityBehind(
  position: PositionView,
  all: readonly PositionView[],
  { market, crossValue }: { market: Market; crossValue: string },
): Decimal {
  if (position.leverage.type === 'isolated') return new Decimal(position.marginUsed);
  const others = all.filter((other) => other !== position && other.leverage.type === 'cross');
  return new Decimal(crossValue).minus(
    sum(others.map((other) => maintenanceOf(other, new Decimal(other.positionValue), market))),
  );
}

function expectSolved(position: PositionView, equity: Decimal, market: Market): void {
  const { asset, liquidationPrice } = position;
  const size = new Decimal(position.signedSize);
  const mark = market.prices(asset)?.markPrice;
  if (!mark) return;
  const isSafe = equity.gte(maintenanceOf(position, size.abs().times(mark), market));
  if (liquidationPrice === null) {
    // A short has none only where the rest of the account is lost whatever its own coin does.
    same(isSafe, size.isPos(), `the safety of ${asset} without a liquidation price`);
    return;
  }
  const price = new Decimal(liquidationPrice);
  const there = equity.plus(size.times(price.minus(mark))).minus(maintenanceOf(position, size.abs().times(price), market));
  demand(there.abs().lt(CUTS_USD), `${there.toString()} USD are left at the liquidation price of ${asset}`);
  const distance = mark.minus(price).times(size);
  if (distance.abs().lt(CUTS_USD)) return;
  same(isSafe, distance.isPos(), `the safety of ${asset} at ${mark.toString()}, liquidated at ${liquidationPrice},`);
}
