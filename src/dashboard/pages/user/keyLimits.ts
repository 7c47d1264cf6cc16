// The limits of an API key: the limits in words, and the request that a filled-in form comes to. The API names the fields that
// are wrong.
import type { ApiKey, TradeLimits } from '../../api/contract.ts';
import { grouped } from '../../domain/texts.ts';

interface TradeLimit {
  readonly label: string;
  readonly words: (value: string) => string;
}

export const TRADE_LIMITS: Readonly<Record<keyof TradeLimits, TradeLimit>> = {
  order_usd: { label: 'Largest order, USD', words: (usd) => `orders up to ${usd} USD` },
  leverage: { label: 'Leverage, at most', words: (leverage) => `leverage up to ${leverage}` },
  daily_loss_usd: { label: 'Loss of a UTC day, USD', words: (usd) => `opens nothing more after a loss of ${usd} USD a day` },
  orders_per_minute: { label: 'Orders a minute', words: (orders) => `${orders} orders a minute at most` },
};
const NAMES = Object.keys(TRADE_LIMITS) as (keyof TradeLimits)[];

export type Limited = Pick<ApiKey, 'scopes' | 'expires_at' | 'addresses' | 'trade_limits'>;

/** How far a key may trade, and from where it may be used: one sentence each; none for a key without limits. */
export function limitWords({ trade_limits: trade, addresses }: Limited): readonly string[] {
  const ofTrade = NAMES.flatMap((name) => {
    const value = trade?.[name] ?? null;
    return value === null ? [] : [TRADE_LIMITS[name].words(grouped(String(value).replace(/\.0$/, '')))];
  });
  return addresses === null ? ofTrade : [...ofTrade, `from ${addresses.join(', ')} alone`];
}

/** The texts of the fields by their names. */
export function limitFields({ scopes, expires_at: end, addresses, trade_limits: trade }: Limited): ReadonlyMap<string, string> {
  return new Map([
    ['scopes', scopes.join()],
    ['expires_at', end ?? ''],
    ['addresses', addresses?.join(', ') ?? ''],
    ...NAMES.map((name) => [name, String(trade?.[name] ?? '')] as const),
  ]);
}

/** The part of a request that the fields say. A field that is empty is no limit. */
export function keyLimitsBody(data: Pick<FormData, 'get'>): object {
  const textOf = (name: string): string => String(data.get(name) ?? '').trim();
  const partsOf = (name: string): string[] =>
    textOf(name)
      .split(/[\s,;]+/)
      .filter((part) => part !== '');
  const addresses = partsOf('addresses');
  const trade = NAMES.flatMap((name) => {
    const text = textOf(name).replace(/[\s\u202f]/g, '');
    if (text === '') return [];
    // USD is exact text. A text that is no count goes to the API as it was typed, and the API says so.
    return [[name, !name.endsWith('usd') && /^\d+$/.test(text) ? Number(text) : text]];
  });
  return {
    scopes: partsOf('scopes'),
    expires_at: textOf('expires_at') || null,
    addresses: addresses.length === 0 ? null : addresses,
    trade_limits: trade.length === 0 ? null : Object.fromEntries(trade),
  };
}
