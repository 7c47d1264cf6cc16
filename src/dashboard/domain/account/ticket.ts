// An order ticket as the action that it sends, the limit of a market order, and the outcome or the refusal that an answer contains. Numbers are
// the reader's text; the server judges them.

export const TICKET_KINDS = ['Market', 'Limit', 'Stop', 'Take profit'] as const;
type TicketKind = (typeof TICKET_KINDS)[number];
export const TIMES_IN_FORCE = ['Gtc', 'Ioc', 'Alo'] as const;
type TimeInForce = (typeof TIMES_IN_FORCE)[number];
type SizeUnit = 'coin' | 'USD';

export interface Ticket {
  readonly kind: TicketKind;
  readonly side: 'buy' | 'sell';
  readonly size: string;
  readonly unit: SizeUnit;
  /** Of a limit order. */
  readonly limitPrice: string;
  /** Of a stop or a take-profit, which go to the market. */
  readonly triggerPrice: string;
  readonly timeInForce: TimeInForce;
  readonly reduceOnly: boolean;
  /** Prices of the orders that come with it; empty = none. */
  readonly takeProfit: string;
  readonly stopLoss: string;
}

interface TicketCoin {
  readonly asset: number;
  readonly sizeDecimals: number;
  /** USD per coin, now. */
  readonly mid: string;
}

/** The input that the ticket still needs, in words; or the action without its cloid. */
type TicketAction = { readonly missing: string } | { readonly order: WireOrder; readonly children: readonly WireOrder[] };

interface WireOrder {
  readonly a: number;
  readonly b: boolean;
  readonly p: string;
  readonly s: string;
  readonly r: boolean;
  readonly t: object;
  readonly c?: string;
}

export function ticketAction(ticket: Ticket, coin: TicketCoin): TicketAction {
  const { kind, side, reduceOnly, takeProfit, stopLoss } = ticket;
  const size = sizeInCoins(ticket, coin);
  if (size === undefined) return { missing: 'Enter a size.' };
  if (kind === 'Limit' && !isPositive(ticket.limitPrice)) return { missing: 'Enter a limit price.' };
  if (isTrigger(kind) && !isPositive(ticket.triggerPrice)) return { missing: 'Enter a trigger price.' };
  const order = { a: coin.asset, b: side === 'buy', s: size, r: reduceOnly, ...priceAndType(ticket, coin) };
  const exits = isTrigger(kind)
    ? []
    : (
        [
          ['tp', takeProfit],
          ['sl', stopLoss],
        ] as const
      ).filter(([, price]) => price !== '');
  if (exits.some(([, price]) => !isPositive(price))) return { missing: 'Take profit and stop loss are prices.' };
  const exitSide = side === 'buy' ? 'sell' : 'buy';
  const children = exits.map(([tpsl, price]) => ({
    ...{ a: coin.asset, b: !order.b, s: size, r: true },
    ...atTrigger(tpsl, price, { side: exitSide, sizeDecimals: coin.sizeDecimals }),
  }));
  return { order, children };
}

/** The whole action. @param cloid of the order; none for a dry run */
export const toAction = ({ order, children }: Exclude<TicketAction, { missing: string }>, cloid?: string): object => ({
  type: 'order',
  orders: [cloid === undefined ? order : { ...order, c: cloid }, ...children],
  grouping: children.length > 0 ? 'normalTpsl' : 'na',
});

export const isTrigger = (kind: TicketKind): boolean => kind === 'Stop' || kind === 'Take profit';

/** The price by which USD become coins. */
export const priceOf = ({ kind, limitPrice, triggerPrice }: Ticket, mid: string): string => {
  const own = kind === 'Limit' ? limitPrice : isTrigger(kind) ? triggerPrice : '';
  return isPositive(own) ? own : mid;
};

/** Coins as text on the coin's grid, cut; undefined where there is no size yet. */
export function sizeInCoins(ticket: Ticket, { sizeDecimals, mid }: Pick<TicketCoin, 'sizeDecimals' | 'mid'>): string | undefined {
  if (!isPositive(ticket.size)) return undefined;
  if (ticket.unit === 'coin') return ticket.size;
  return cut(Number(ticket.size) / Number(priceOf(ticket, mid)), sizeDecimals);
}

/** A share of the largest size, as text in the ticket's unit. @param max coins, the server's text */
export function shareOfMax(share: number, max: string, { unit, price, sizeDecimals }: Share): string {
  const coins = Number(max) * share;
  return (unit === 'coin' ? cut(coins, sizeDecimals) : cut(coins * Number(price), 2)) ?? '';
}

interface Share {
  readonly unit: SizeUnit;
  readonly price: string;
  readonly sizeDecimals: number;
}

function priceAndType(ticket: Ticket, { mid, sizeDecimals }: TicketCoin): { readonly p: string; readonly t: object } {
  const { kind, side, limitPrice, triggerPrice, timeInForce } = ticket;
  if (kind === 'Market') return { p: limitBeyond(side, mid, sizeDecimals), t: { limit: { tif: 'Ioc' } } };
  if (kind === 'Limit') return { p: limitPrice, t: { limit: { tif: timeInForce } } };
  return atTrigger(kind === 'Stop' ? 'sl' : 'tp', triggerPrice, { side, sizeDecimals });
}

const atTrigger = (
  tpsl: 'tp' | 'sl',
  triggerPx: string,
  { side, sizeDecimals }: { readonly side: 'buy' | 'sell'; readonly sizeDecimals: number },
) => ({ p: limitBeyond(side, triggerPx, sizeDecimals), t: { trigger: { isMarket: true, triggerPx, tpsl } } });

const isPositive = (text: string): boolean => /^\d{1,12}(\.\d{1,8})?$/.test(text) && Number(text) > 0;

/** Cut, so that it never is more than there is; undefined for nothing. */
function cut(value: number, decimals: number): string | undefined {
  const scale = 10 ** decimals;
  // A product such as 0.29 * 100 is a little below its value.
  const lots = Math.floor(value * scale + 1e-6);
  if (!Number.isFinite(lots) || lots <= 0) return undefined;
  const text = (lots / scale).toFixed(decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const BEYOND_SHARE = 0.05;
const SIGNIFICANT_DIGITS = 5;
/** Decimals of a price and of a size together, for perpetuals. */
const DECIMALS_MAX = 6;

/**
 * The limit of an order that goes to the market: not more than 5 % beyond the price that it is sent at.
 * @param price USD per coin: the mid, the mark, or that of a trigger
 * @param sizeDecimals of the coin, from `meta`
 * @returns a limit on the venue's grid: five significant digits, and no more decimals than the coin allows
 */
export function limitBeyond(side: 'buy' | 'sell', price: string, sizeDecimals: number): string {
  const wanted = Number(price) * (side === 'sell' ? 1 - BEYOND_SHARE : 1 + BEYOND_SHARE);
  const significant = Number(wanted.toPrecision(SIGNIFICANT_DIGITS));
  return withoutZeros(significant.toFixed(DECIMALS_MAX - sizeDecimals));
}

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

interface ActionAnswer {
  readonly status: string;
  readonly response: string | object;
}

/**
 * The refusal in the answer to an action or to its dry run: of the whole action, or of the first order that is refused; undefined
 * = taken.
 */
export function refusalIn({ status, response }: ActionAnswer): string | undefined {
  if (status === 'err' || typeof response === 'string') return String(response);
  const { data } = response as { readonly data?: { readonly statuses?: readonly unknown[]; readonly status?: unknown } };
  for (const element of [...(data?.statuses ?? []), data?.status]) {
    if (typeof element === 'object' && element !== null && 'error' in element) return String(element.error);
  }
  return undefined;
}

interface Status {
  readonly filled?: { readonly totalSz: string; readonly avgPx: string };
  readonly resting?: object;
}

/** @param statuses of the order and its exits; none where the order was found later */
export function sentText([first]: readonly (string | Status)[]): string {
  if (first === undefined) return 'The order was placed.';
  if (typeof first === 'string') return 'The order waits for its price.';
  if (first.filled !== undefined) return `Filled ${first.filled.totalSz} at ${first.filled.avgPx}.`;
  return 'The order is open: it rests on the book or waits for its price.';
}
