// How far an API key may trade, as requests give it and answers show it.
import { type Static, Type } from '@sinclair/typebox';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import type { TradeLimits } from '../../../shared/domain/limits.ts';
import { Count, exactly, orNull, WireDecimal } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { UsdAmount } from '../../contract/requestValues.ts';

const USD_EXPECTED = 'a number or a decimal string above 0 with at most 6 decimals, or null';
const LEVERAGE_MAX = 50;
const ORDERS_MAX = 10_000;

const usd = Type.Optional(Type.Union([...UsdAmount.anyOf, Type.Null()], { expected: USD_EXPECTED }));
const whole = (maximum: number) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()], {
      expected: `a whole number from 1 to ${maximum}, or null`,
    }),
  );

export const TradeLimitsBody = named(
  'TradeLimitsWanted',
  Type.Object(
    {
      order_usd: described(usd, 'The largest order that is not reduce-only: its size at the highest of its prices, USD.'),
      leverage: described(whole(LEVERAGE_MAX), 'The largest leverage that it may set, and open with.'),
      daily_loss_usd: described(usd, 'What an account may lose in a UTC day before the key opens nothing more there, USD.'),
      orders_per_minute: described(whole(ORDERS_MAX), 'Orders in any 60 seconds, in each account.'),
    },
    {
      additionalProperties: false,
      expected: 'an object with order_usd, leverage, daily_loss_usd and orders_per_minute, or null',
    },
  ),
);

export const TradeLimitsAnswer = named(
  'TradeLimits',
  exactly({
    order_usd: orNull(WireDecimal),
    leverage: orNull(Count),
    daily_loss_usd: orNull(WireDecimal),
    orders_per_minute: orNull(Count),
  }),
);

/** @returns undefined where nothing is limited */
export function toTradeLimits(body: Static<typeof TradeLimitsBody> | null): TradeLimits | undefined {
  if (body === null) return undefined;
  const { leverage, orders_per_minute: ordersPerMinute } = body;
  const orderUsd = plainUsd(body.order_usd);
  const dailyLossUsd = plainUsd(body.daily_loss_usd);
  const limits = {
    ...(orderUsd !== undefined && { orderUsd }),
    ...(leverage != null && { leverage }),
    ...(dailyLossUsd !== undefined && { dailyLossUsd }),
    ...(ordersPerMinute != null && { ordersPerMinute }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

export const toTradeLimitsAnswer = (trade: TradeLimits | undefined): Static<typeof TradeLimitsAnswer> | null =>
  trade === undefined
    ? null
    : {
        order_usd: usdOrNull(trade.orderUsd),
        leverage: trade.leverage ?? null,
        daily_loss_usd: usdOrNull(trade.dailyLossUsd),
        orders_per_minute: trade.ordersPerMinute ?? null,
      };

const usdOrNull = (text: string | undefined): string | null => (text === undefined ? null : toWire(new Decimal(text)));

const plainUsd = (given: number | string | null | undefined): string | undefined =>
  given == null ? undefined : new Decimal(given).toString();
