// What the page does to the account: the venue's own actions, each with an idempotency key, so that one which is sent again has
// its effect once.
import { closingLimit } from '../domain/closingOrder.ts';
import type { OpenPosition } from '../domain/wire/accountState.ts';
import { exchangePath } from '../state/paths.ts';
import { ApiError } from './answer.ts';
import { post } from './http.ts';

interface CoinFacts {
  /** Number of the coin in orders. */
  readonly asset: number;
  readonly sizeDecimals: number;
}

interface ActionAnswer {
  readonly status: 'ok' | 'err';
  readonly response: string | { readonly data?: { readonly statuses?: readonly unknown[]; readonly status?: unknown } };
}

let coins: Promise<ReadonlyMap<string, CoinFacts>> | undefined;

/** Cancels an order. @throws {ApiError} with the refusal */
export async function cancelOrder({ coin, oid }: { readonly coin: string; readonly oid: number }): Promise<void> {
  const { asset } = await factsOf(coin);
  await act({ type: 'cancel', cancels: [{ a: asset, o: oid }] });
}

/** Ends a TWAP; what it has filled stays. @throws {ApiError} with the refusal */
export async function cancelTwap({ coin, twapId }: { readonly coin: string; readonly twapId: number }): Promise<void> {
  const { asset } = await factsOf(coin);
  await act({ type: 'twapCancel', a: asset, t: twapId });
}

/** Sells or buys back a position at the market. @param mid of its coin @throws {ApiError} with the refusal */
export async function closePosition({ coin, side, size }: OpenPosition, mid: string): Promise<void> {
  const { asset, sizeDecimals } = await factsOf(coin);
  const p = closingLimit(side, mid, sizeDecimals);
  const order = { a: asset, b: side === 'short', p, s: size, r: true, t: { limit: { tif: 'Ioc' } }, c: newCloid() };
  await act({ type: 'order', orders: [order], grouping: 'na' });
}

async function act(action: object): Promise<void> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const { body } = await post<ActionAnswer>(exchangePath('exchange'), { action, nonce: Date.now() }, { headers });
  const refusal = refusalOf(body);
  if (refusal === undefined) return;
  throw new ApiError(refusal, { status: 200, code: 'refused', requestId: null, retryAfter: null });
}

/** The whole action's refusal, or its first element's. */
function refusalOf({ status, response }: ActionAnswer): string | undefined {
  if (status === 'err' || typeof response === 'string') return String(response);
  for (const element of [...(response.data?.statuses ?? []), response.data?.status]) {
    if (typeof element === 'object' && element !== null && 'error' in element) return String(element.error);
  }
  return undefined;
}

async function factsOf(coin: string): Promise<CoinFacts> {
  coins ??= readCoins().catch((error: unknown) => {
    coins = undefined;
    throw error;
  });
  const facts = (await coins).get(coin);
  if (facts === undefined) throw new Error(`${coin} is not traded here.`);
  return facts;
}

async function readCoins(): Promise<ReadonlyMap<string, CoinFacts>> {
  const { body } = await post<{ universe: readonly { name: string; szDecimals: number }[] }>(exchangePath('info'), {
    type: 'meta',
  });
  return new Map(body.universe.map(({ name, szDecimals }, asset) => [name, { asset, sizeDecimals: szDecimals }]));
}

function newCloid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
