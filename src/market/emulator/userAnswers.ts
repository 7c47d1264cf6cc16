// The answers of the emulated venue about an address, in the venue's forms (wire-format 3.2, 3.3 and 6).
import { cutTo, Decimal, halfUp, roundOffDust, toWire, USD_DECIMALS, ZERO } from '../../shared/domain/decimal.ts';
import { type Body, requireRange, UnreadableRequest } from '../venue/exchange.ts';
import type { VenueCoin } from './venueCoin.ts';
import {
  dexOf,
  type OrderChange,
  toAddress,
  type UserFill,
  type UserOrder,
  type UserPosition,
  type VenueUser,
} from './venueUser.ts';

/** Rows of one answer. */
const FILLS_MAX = 2000;
/** Decimals of a fraction. */
const RATIO_DECIMALS = 10;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const NO_HASH = `0x${'0'.repeat(64)}`;

interface Source {
  readonly users: { read(address: string): VenueUser; readonly dexs: readonly string[] };
  readonly now: () => number;
  coin(name: string): VenueCoin | undefined;
}

/** Of another dex than the main one there is nothing. @throws {UnreadableRequest} for what is no address */
export function requireUser({ users }: Pick<Source, 'users'>, body: Body): VenueUser {
  const address = requireAddress(body);
  return users.read(isMainDex(body) ? address : '');
}

function requireAddress({ user }: Body): string {
  const address = toAddress(user);
  if (address === undefined) throw new UnreadableRequest();
  return address;
}

const isMainDex = ({ dex }: Body): boolean => dex === undefined || dex === null || dex === '';

/**
 * Positions of one dex. The account value of a unified account is its spot USDC: here it is the margin of the positions then, a number that stands
 * for nothing, as at the venue.
 */
export function answerClearinghouseState(venue: Source, body: Body): unknown {
  const user = venue.users.read(requireAddress(body));
  const dex = isMainDex(body) ? '' : body.dex;
  const time = venue.now();
  const valued = valuedOf(venue, user, time).filter(({ position }) => dexOf(position.coin) === dex);
  const sum = (of: (one: (typeof valued)[number]) => Decimal, isCrossOnly = false): Decimal =>
    valued.reduce((all, one) => (isCrossOnly && one.position.marginMode !== 'cross' ? all : all.plus(of(one))), ZERO);
  const ownMoney = dex === '' ? user.balance : ZERO;
  const accountValue = user.isUnified ? sum(({ margin }) => margin) : ownMoney.plus(sum(({ pnl }) => pnl));
  const isolated = sum(({ equity }) => equity);
  const summary = (value: Decimal, isCrossOnly: boolean) => ({
    accountValue: usd(value),
    totalNtlPos: usd(sum(({ notional }) => notional, isCrossOnly)),
    totalRawUsd: usd(value.minus(sum(({ signed }) => signed, isCrossOnly))),
    totalMarginUsed: usd(sum(({ margin }) => margin, isCrossOnly)),
  });
  const cross = summary(accountValue.minus(isolated), true);
  const withdrawable = Decimal.max(ZERO, new Decimal(cross.accountValue).minus(cross.totalMarginUsed));
  return {
    marginSummary: summary(accountValue, false),
    crossMarginSummary: cross,
    crossMaintenanceMarginUsed: usd(sum(({ notional, maxLeverage }) => notional.div(2 * maxLeverage), true)),
    withdrawable: usd(withdrawable),
    assetPositions: valued.map((one) => ({ type: 'oneWay', position: toWirePosition(one) })),
    time,
  };
}

const valuedOf = (venue: Source, user: VenueUser, nowMs: number) =>
  [...user.positions.values()].map((position) => valuedAt(position, venue.coin(position.coin), nowMs));

function valuedAt(position: UserPosition, coin: VenueCoin | undefined, nowMs: number) {
  const { signedSize, entryPrice, leverage, marginMode, rawUsd } = position;
  const mark = new Decimal(coin?.context(nowMs).markPx ?? entryPrice);
  const signed = signedSize.times(mark);
  const notional = signed.abs();
  const equity = marginMode === 'cross' ? ZERO : signed.plus(rawUsd);
  const margin = marginMode === 'cross' ? notional.div(leverage) : equity;
  const pnl = signed.minus(signedSize.times(entryPrice));
  const maxLeverage = coin?.listing.maxLeverage ?? leverage;
  const priceDecimals = USD_DECIMALS - (coin?.listing.sizeDecimals ?? 0);
  return { position, signed, notional, equity, margin, pnl, maxLeverage, priceDecimals };
}

function toWirePosition({ position, notional, margin, pnl, maxLeverage, priceDecimals }: ReturnType<typeof valuedAt>): unknown {
  const { coin, signedSize, entryPrice, leverage: value, marginMode: type, rawUsd } = position;
  const cost = signedSize.times(entryPrice).abs();
  return {
    coin,
    szi: toWire(signedSize),
    leverage: type === 'cross' ? { type, value } : { type, value, rawUsd: usd(rawUsd) },
    entryPx: toWire(cutTo(roundOffDust(entryPrice), priceDecimals)),
    positionValue: usd(notional),
    unrealizedPnl: usd(pnl),
    returnOnEquity: toWire(halfUp(pnl.times(value).div(cost), RATIO_DECIMALS)),
    liquidationPx: null,
    marginUsed: usd(margin),
    maxLeverage,
    cumFunding: { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' },
  };
}

/** USDC of a unified account has the unrealized PnL of all its positions in it. */
export function answerSpotState(venue: Source, body: Body): unknown {
  const user = requireUser(venue, body);
  const { balance, isUnified, spot } = user;
  const valued = isUnified ? valuedOf(venue, user, venue.now()) : [];
  const usdc = valued.reduce((all, { pnl }) => all.plus(pnl), balance);
  const hold = valued.reduce((all, { margin }) => all.plus(margin), ZERO);
  const money = isUnified ? [{ coin: 'USDC', total: usd(usdc), hold: usd(hold) }] : [];
  return {
    ...(user.abstraction === 'portfolioMargin' && { portfolioMarginEnabled: true }),
    balances: [...money, ...spot].map((one, token) => ({ token, hold: '0.0', entryNtl: '0.0', ...one })),
  };
}

export const answerAbstraction = (venue: Source, body: Body): unknown => requireUser(venue, body).abstraction;

/** The main dex, and those on which scripted addresses have positions. */
export const answerDexs = ({ users }: Source): unknown => [
  null,
  ...users.dexs.map((name) => ({
    ...{ name, fullName: name, deployer: NO_ADDRESS, oracleUpdater: null, feeRecipient: null, assetToStreamingOiCap: [] },
    ...{ subDeployers: [], deployerFeeScale: '1.0', lastDeployerFeeScaleChangeTime: '1970-01-01T00:00:00' },
    assetToFundingMultiplier: [],
  })),
];

/** Newest first. */
export const answerOpenOrders = (venue: Source, body: Body): unknown =>
  [...requireUser(venue, body).orders.values()].map(toWireOrder).reverse();

export function answerFrontendOrders(venue: Source, body: Body): unknown {
  const orders = [...requireUser(venue, body).orders.values()].reverse();
  return orders.map((order) => withChildren(order, orders));
}

/** Of those that are open: one that is over is forgotten. */
export function answerOrderStatus(venue: Source, body: Body): unknown {
  const { orders } = requireUser(venue, body);
  const order = orders.get(Number(body.oid));
  if (order === undefined) return { status: 'unknownOid' };
  const shown = withChildren(order, [...orders.values()]);
  return { status: 'order', order: { order: shown, status: 'open', statusTimestamp: order.placedAtMs } };
}

/** @param orders the answer has children in their order */
function withChildren(order: UserOrder, orders: readonly UserOrder[]): unknown {
  const children = orders.filter(({ trigger }) => trigger?.parentOid === order.oid);
  return toFrontendOrder(
    order,
    children.map((child) => toFrontendOrder(child, [])),
  );
}

/** Newest first. */
export const answerUserFills = (venue: Source, body: Body): unknown[] =>
  requireUser(venue, body).fills.slice(-FILLS_MAX).reverse().map(toWireFill);

/** Oldest first: those that do not fit are asked for from the last one's time on. */
export function answerUserFillsByTime(venue: Source, body: Body): unknown {
  const { startMs, endMs } = requireRange(body, venue.now());
  const { fills } = requireUser(venue, body);
  return fills
    .filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs)
    .slice(0, FILLS_MAX)
    .map(toWireFill);
}

export const toWireUpdate = ({ order, status, timeMs }: OrderChange): unknown => ({
  order: toWireOrder(order),
  status,
  statusTimestamp: timeMs,
});

export const toWireFill = ({ order, price, size, timeMs, tid, ...fill }: UserFill): unknown => ({
  coin: order.coin,
  px: toWire(price),
  sz: toWire(size),
  side: order.side,
  time: timeMs,
  startPosition: toWire(fill.startPosition),
  dir: fill.direction,
  closedPnl: usd(fill.closedPnl),
  hash: NO_HASH,
  oid: order.oid,
  crossed: fill.isTaker,
  fee: toWire(fill.fee),
  tid,
  ...(order.cloid !== null && { cloid: order.cloid }),
  feeToken: 'USDC',
  twapId: null,
});

const toWireOrder = ({ coin, side, limitPrice, size, oid, placedAtMs, originalSize, cloid }: UserOrder) => ({
  coin,
  side,
  limitPx: toWire(limitPrice),
  sz: toWire(size),
  oid,
  timestamp: placedAtMs,
  origSz: toWire(originalSize),
  ...(cloid !== null && { cloid }),
});

function toFrontendOrder(order: UserOrder, children: readonly unknown[]): unknown {
  const { trigger, reduceOnly, timeInForce: tif, cloid } = order;
  const isAbove = (trigger?.tpsl === 'tp') === (order.side === 'A');
  return {
    ...toWireOrder(order),
    triggerCondition: trigger === undefined ? 'N/A' : `Price ${isAbove ? 'above' : 'below'} ${trigger.px}`,
    isTrigger: trigger !== undefined,
    triggerPx: trigger?.px ?? '0.0',
    children,
    isPositionTpsl: trigger?.isPosition === true,
    reduceOnly,
    orderType: orderTypeOf(order),
    tif,
    cloid,
  };
}

function orderTypeOf({ trigger }: UserOrder): string {
  if (trigger === undefined) return 'Limit';
  return `${trigger.tpsl === 'tp' ? 'Take Profit' : 'Stop'} ${trigger.isMarket ? 'Market' : 'Limit'}`;
}

const usd = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
