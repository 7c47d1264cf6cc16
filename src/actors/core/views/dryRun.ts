// What a command would do, told from the very decision that the account would make of it now: its outcome, what it would take from
// the book, and the account's figures before and after. The decision is folded on a draft and forgotten. A view: it changes nothing.
import { assert } from '../../../shared/domain/assert.ts';
import { cutTo, Decimal, halfUpQuotient, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import { feeOf } from '../../../shared/domain/fees.ts';
import type { Account } from '../account/account.ts';
import { freshMarket, priceDecimals } from '../checks/checkForm.ts';
import type { OrderFilled } from '../fills/fillEvent.ts';
import { feeRatesOf } from '../fills/fillPlan.ts';
import { type Decision, Draft } from '../fold/draft.ts';
import { type Context, clockOf } from '../fold/pipeline.ts';
import { freeMargin } from '../margin/margin.ts';
import { leverageOf } from '../margin/positionMargin.ts';
import type { AccountStateView } from '../messages/accountFigures.ts';
import type { TriedCommand } from '../messages/command.ts';
import type { DryRunCoin, DryRunFigures, DryRunView, ExecutionView } from '../messages/commandOutcome.ts';
import type { AccountEvent } from '../messages/event.ts';
import { accountState, usdText } from './accountState.ts';

const BPS = 10_000;
const BPS_DECIMALS = 2;
const HALF = new Decimal('0.5');

/**
 * The longest part of an answer is as long as its command: an order can be filled by each displayed level once, and what it leaves
 * of a level the next one cannot take again.
 * @param account as it is, with all done that is due
 * @param decision of the command, not folded
 */
export function dryRun(account: Account, command: TriedCommand, decision: Decision, context: Context): DryRunView {
  const { market } = context;
  const { events, outcome } = decision;
  assert(outcome.type !== 'answer', 'what is tried is no question');
  const timeMs = clockOf(context);
  const { account: changed } = new Draft(account, context, decision);
  const assets = concerned(command, events);
  const before = accountState(account, market, timeMs, assets);
  const after = changed === account ? before : accountState(changed, market, timeMs, assets);
  return {
    timeMs,
    outcome,
    executions: executionsOf(events, context),
    resting: restingOf(account, changed, events, context),
    ends: endsOf(account, events),
    isLiquidated: events.some((event) => 'lid' in event),
    before: figuresOf(account, before, context),
    after: figuresOf(changed, after, context),
    coins: [...assets].flatMap((asset) => coinOf(asset, { before, after, changed }, context)),
  };
}

function executionsOf(events: readonly AccountEvent[], context: Context): ExecutionView[] {
  const byOrder = new Map<number, OrderFilled[]>();
  for (const event of events) {
    if (event.type !== 'orderFilled') continue;
    const fills = byOrder.get(event.oid);
    if (fills === undefined) byOrder.set(event.oid, [event]);
    else fills.push(event);
  }
  return [...byOrder.values()].map((fills) => executionOf(fills, context));
}

function executionOf(fills: readonly OrderFilled[], { market }: Context): ExecutionView {
  const [first] = fills;
  assert(first, 'an order that was filled has a fill');
  const { oid, coin, side, asset, evidence } = first;
  let [size, notional, fee, closedPnl] = [ZERO, ZERO, ZERO, ZERO];
  for (const fill of fills) {
    size = size.plus(fill.size);
    notional = notional.plus(new Decimal(fill.price).times(fill.size));
    fee = fee.plus(fill.fee);
    closedPnl = closedPnl.plus(fill.closedPnl);
  }
  const mid = evidence.midPrice === undefined ? undefined : new Decimal(evidence.midPrice);
  const decimals = priceDecimals(market.asset(asset)?.sizeDecimals ?? 0);
  return {
    oid,
    coin,
    side,
    size: toWire(size),
    averagePrice: toWire(cutTo(notional.div(size), decimals)),
    notional: usdText(notional),
    fee: usdText(fee),
    closedPnl: usdText(closedPnl),
    slippageBps: mid ? slippageBps({ mid, side, size, notional }) : null,
    levels: fills.map(({ price, size: taken, evidence: { displayed = '0', consumed = '0' } }) => ({
      price: wire(price),
      displayed: wire(displayed),
      consumed: wire(consumed),
      size: wire(taken),
    })),
  };
}

function slippageBps({
  mid,
  side,
  size,
  notional,
}: {
  readonly mid: Decimal;
  readonly side: 'buy' | 'sell';
  readonly size: Decimal;
  readonly notional: Decimal;
}): string {
  const atMid = mid.times(size);
  const lost = side === 'buy' ? notional.minus(atMid) : atMid.minus(notional);
  return toWire(halfUpQuotient(lost.times(BPS), atMid, BPS_DECIMALS));
}

/** Orders that the events name, which rest on the book after them and did not before. */
function restingOf(
  before: Account,
  { orders }: Account,
  events: readonly AccountEvent[],
  { nowMs }: Context,
): DryRunView['resting'] {
  const named = new Set(events.flatMap((event) => ('order' in event ? [event.order.oid] : [])));
  const rates = feeRatesOf(before, nowMs);
  return [...named].flatMap((oid) => {
    const order = before.orders.has(oid) ? undefined : orders.get(oid);
    if (order === undefined) return [];
    const { coin, side, limitPrice, size, resting } = order;
    const makerFee = usdText(feeOf(new Decimal(limitPrice).times(size), 'maker', rates));
    return [{ oid, coin, side, limitPrice: wire(limitPrice), size: wire(size), makerFee, ahead: resting.ahead }];
  });
}

/** Orders that are open before the events. What the command places and ends at once is told by its outcome. */
const endsOf = ({ orders, triggers }: Account, events: readonly AccountEvent[]): DryRunView['ends'] =>
  events.flatMap((event) => {
    if (!('order' in event && 'status' in event)) return [];
    const { oid, coin } = event.order;
    return orders.has(oid) || triggers.has(oid) ? [{ oid, coin, status: event.status }] : [];
  });

function figuresOf(account: Account, state: AccountStateView, { market }: Context): DryRunFigures {
  const { marginSummary, crossMaintenanceMarginUsed, withdrawable } = state;
  return { marginSummary, crossMaintenanceMarginUsed, withdrawable, freeMargin: usdText(freeMargin(account, market)) };
}

/** Ids of the assets that the command names, and of those whose position changes. */
function concerned(command: TriedCommand, events: readonly AccountEvent[]): ReadonlySet<number> {
  const changed = events.flatMap((event) => ('asset' in event ? [event.asset] : []));
  return new Set([...namedBy(command), ...changed]);
}

function namedBy(command: TriedCommand): number[] {
  switch (command.type) {
    case 'placeOrders':
      return command.orders.map(({ asset }) => asset);
    case 'modifyOrders':
      return command.modifies.map(({ order }) => order.asset);
    case 'cancelOrders':
      return command.cancels.flatMap(({ asset }) => asset ?? []);
    default:
      return [command.asset];
  }
}

interface States {
  readonly before: AccountStateView;
  readonly after: AccountStateView;
  readonly changed: Account;
}

/** Nothing of an asset that does not exist. */
function coinOf(assetId: number, { before, after, changed }: States, context: Context): DryRunCoin[] {
  const { market } = context;
  const asset = market.asset(assetId);
  if (asset === undefined) return [];
  const book = market.book(assetId);
  const prices = market.prices(assetId);
  const fresh = freshMarket(market, { asset: assetId, nowMs: clockOf(context) });
  const [bid, ask] = [book?.bids[0], book?.asks[0]];
  const { marginMode, leverage } = leverageOf(changed, asset);
  return [
    {
      coin: asset.coin,
      leverage: { type: marginMode, value: leverage },
      before: before.positions.find((position) => position.asset === assetId),
      after: after.positions.find((position) => position.asset === assetId),
      markPrice: prices ? toWire(prices.markPrice) : null,
      markTimeMs: prices?.timeMs ?? null,
      midPrice: bid && ask ? toWire(bid.price.plus(ask.price).times(HALF)) : null,
      bookTimeMs: book?.timeMs ?? null,
      bookVersion: book?.version ?? null,
      ...(fresh.type === 'stale' && { staleAge: fresh.age }),
    },
  ];
}

const wire = (text: string): string => toWire(new Decimal(text));
