// What a request costs. An action costs `1 + floor(n / 40)` of the plan's requests for n orders, cancels or modifies, and
// the same weight; a question costs one request and the venue's weight for its type (wire-format 7.3). Weights are a
// second budget, so that a caller who asks much pays for the work and not for the call. Text counts as well: a body that is
// large for what it asks costs its length.
import { assert } from '../../shared/domain/assert.ts';
import { JsonText } from './jsonText.ts';

/** The parts of a request that are counted. */
export interface Price {
  readonly requests: number;
  readonly weight: number;
}

const ITEMS_PER_REQUEST = 40;
/** Text that a weight of 1 pays for, bytes: some 80 orders. */
const BYTES_PER_WEIGHT = 16_384;

/** Books, mids, states. */
export const LIGHT = 2;
/** The heaviest weight of one request: the plan's requests fit into its weights at this one. The venue takes 60 for `userRole`, which costs nothing here. */
export const HEAVIEST = 20;
const LIGHT_TYPES: ReadonlySet<string> = new Set([
  ...['l2Book', 'allMids', 'clearinghouseState', 'orderStatus', 'spotClearinghouseState', 'exchangeStatus'],
  // They are kept for all (info/market/candles): a question costs a look.
  ...['candleSnapshot', 'candles'],
]);

/** Rows of an account's history that a further weight of 1 pays for. */
export const ROWS_PER_WEIGHT = 20;
/** Rows of an answer that a further weight of 1 pays for, by type. */
const ROWS_BY_TYPE: ReadonlyMap<string, number> = new Map([
  ...[
    ...['recentTrades', 'historicalOrders', 'userFills', 'userFillsByTime', 'fundingHistory', 'userFunding', 'twapHistory'],
    ...['userTwapHistory', 'userTwapSliceFills', 'userTwapSliceFillsByTime', 'userNonFundingLedgerUpdates'],
  ].map((type): [string, number] => [type, ROWS_PER_WEIGHT]),
  // Each is the state of another account: it costs what asking for it costs.
  ['subAccounts', 1 / LIGHT],
  ['subAccounts2', 1 / LIGHT],
]);

/** What an action costs at least. */
export const ACTION: Price = { requests: 1, weight: 1 };
/** Of an endpoint that looks a document up, or answers from memory. */
export const CHEAP: Price = { requests: 1, weight: LIGHT };
/** Of an endpoint that hashes a password, sends a mail, or reads a whole history. */
export const HEAVY: Price = { requests: 1, weight: HEAVIEST };

/** The price of a request by its path. An unknown path costs what the cheapest endpoint costs. */
export type PathPrices = (path: string | undefined) => Price;

/** A request is paid for before its method is looked at, so the endpoints of one path have one price. */
export function pathPrices(endpoints: readonly { readonly path: string; readonly price: Price }[]): PathPrices {
  const prices = new Map<string, Price>();
  for (const { path: template, price } of endpoints) {
    const path = template.replace(':exchange', 'perpx');
    assert((prices.get(path) ?? price) === price, `the endpoints of ${path} have one price`);
    assert(price === CHEAP || !path.includes(':'), `${path} is no path that a price is found by`);
    prices.set(path, price);
  }
  return (path = '') => prices.get(path) ?? CHEAP;
}

/** A dry run costs what the action does, and the weight of the account's state. @param body of an `exchange` request, not yet checked */
export function priceOfAction(body: unknown, bytes: number): Price {
  const { action, dryRun } = fieldsOf(body);
  const { orders, cancels, modifies } = fieldsOf(action);
  const items = [orders, cancels, modifies].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  const requests = 1 + Math.floor(items / ITEMS_PER_REQUEST);
  const weight = Math.max(requests, weightOf(bytes));
  return { requests, weight: dryRun === true ? weight + LIGHT : weight };
}

/** @param body of an `info` request, not yet checked */
export function priceOfInfo(body: unknown, bytes: number): Price {
  const { type } = fieldsOf(body);
  const weight = typeof type === 'string' && LIGHT_TYPES.has(type) ? LIGHT : HEAVIEST;
  return { requests: 1, weight: Math.max(weight, weightOf(bytes)) };
}

/** The further weight of a long answer, 0 for a short one. */
export function weightOfRows(body: unknown, answer: unknown): number {
  const { type } = fieldsOf(body);
  const rowsPerWeight = typeof type === 'string' ? ROWS_BY_TYPE.get(type) : undefined;
  return rowsPerWeight === undefined ? 0 : Math.floor(rowsOf(answer) / rowsPerWeight);
}

const rowsOf = (answer: unknown): number => {
  if (answer instanceof JsonText) return answer.rows;
  return Array.isArray(answer) ? answer.length : 0;
};

const weightOf = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_WEIGHT);

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * The weight of a subscription as its channel has read it. One that goes on after an entry reads the past, as a heavy question does.
 * @param weight of the channel
 */
export function weightOfSubscription(subscription: object, weight: number): number {
  const { fromSeq } = subscription as { readonly fromSeq?: number | null };
  return fromSeq == null ? weight : HEAVIEST;
}

/** The further weight of rows of the past that a subscription reads. */
export const weightOfPast = (rows: number): number => Math.ceil(rows / ROWS_PER_WEIGHT);
