// The page's acts on the account: the venue's own actions, each sent once (sendAction.ts), with the facts of coins that they
// need.

import { Hint } from '../api/answer.ts';
import { post } from '../api/http.ts';
import { limitBeyond, type Ticket, ticketAction, toAction } from '../domain/account/ticket.ts';
import type { OpenOrder, OpenPosition } from '../domain/account/wireAccount.ts';
import { exchangePath } from './chosenAccount.ts';
import { type ActionStatus, sendAction } from './sendAction.ts';

/** Hears until when the outcome of an act is not known, ms since the epoch. */
type OnUnknown = (untilMs: number) => void;

/** Orders of one cancel. */
const CANCELS_MAX = 1_000;

/** Cancels orders, each judged by itself. @throws {ApiError} with the first refusal */
export async function cancelOrders(orders: readonly Pick<OpenOrder, 'coin' | 'oid'>[], onUnknown?: OnUnknown): Promise<void> {
  const cancels = await Promise.all(orders.map(async ({ coin, oid }) => ({ a: (await factsOf(coin)).asset, o: oid })));
  for (let i = 0; i < cancels.length; i += CANCELS_MAX)
    await sendAction({ type: 'cancel', cancels: cancels.slice(i, i + CANCELS_MAX) }, { onUnknown });
}

/** Ends a TWAP; its fills stay. @throws {ApiError} with the refusal */
export async function cancelTwap({ coin, twapId }: { readonly coin: string; readonly twapId: number }): Promise<void> {
  const { asset } = await factsOf(coin);
  await sendAction({ type: 'twapCancel', a: asset, t: twapId });
}

/** Sells or buys back a position at the market. @param mark of its coin @throws {ApiError} with the refusal */
export async function closePosition({ coin, side, size }: OpenPosition, mark: string, onUnknown?: OnUnknown): Promise<void> {
  const { asset, sizeDecimals } = await factsOf(coin);
  const isBuy = side === 'short';
  const p = limitBeyond(isBuy ? 'buy' : 'sell', mark, sizeDecimals);
  const cloid = newCloid();
  const order = { a: asset, b: isBuy, p, s: size, r: true, t: { limit: { tif: 'Ioc' } }, c: cloid };
  await sendAction({ type: 'order', orders: [order], grouping: 'na' }, { cloid, onUnknown });
}

/** Sends what the ticket says. @returns what became of its orders @throws {ApiError} with the refusal */
export async function placeTicket(
  ticket: Ticket,
  coin: string,
  mid: string,
  onUnknown?: OnUnknown,
): Promise<readonly ActionStatus[]> {
  const made = ticketAction(ticket, { ...(await factsOf(coin)), mid });
  if ('missing' in made) throw new Hint(made.missing);
  const cloid = newCloid();
  return await sendAction(toAction(made, cloid), { cloid, onUnknown });
}

export interface LeverageWish {
  readonly leverage: number;
  readonly marginMode: 'cross' | 'isolated';
}

/** @throws {ApiError} with the refusal */
export async function updateLeverage(coin: string, { leverage, marginMode }: LeverageWish): Promise<void> {
  const { asset } = await factsOf(coin);
  await sendAction({ type: 'updateLeverage', asset, isCross: marginMode === 'cross', leverage });
}

function newCloid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export interface CoinFacts {
  /** Number of the coin in orders. */
  readonly asset: number;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  readonly isIsolatedOnly: boolean;
}

interface Meta {
  readonly universe: readonly {
    readonly name: string;
    readonly szDecimals: number;
    readonly maxLeverage: number;
    readonly onlyIsolated?: boolean;
  }[];
}

let coins: Promise<ReadonlyMap<string, CoinFacts>> | undefined;

/**
 * The facts of a coin that orders need: its number, its grid and its largest leverage. Asked for once.
 * @throws Error for a coin that is not traded here, and as `post` does
 */
export async function factsOf(coin: string): Promise<CoinFacts> {
  coins ??= readCoins().catch((error: unknown) => {
    coins = undefined;
    throw error;
  });
  const facts = (await coins).get(coin);
  if (facts === undefined) throw new Hint(`${coin} is not traded here.`);
  return facts;
}

async function readCoins(): Promise<ReadonlyMap<string, CoinFacts>> {
  const { body } = await post<Meta>(exchangePath('info'), { type: 'meta' });
  return new Map(
    body.universe.map(({ name, szDecimals, maxLeverage, onlyIsolated }, asset) => [
      name,
      { asset, sizeDecimals: szDecimals, maxLeverage, isIsolatedOnly: onlyIsolated === true },
    ]),
  );
}
