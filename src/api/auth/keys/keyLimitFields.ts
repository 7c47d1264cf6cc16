// Requests give and answers show the limits of an API key in these fields, also the limits of its trading.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import type { TradeLimits } from '../../../shared/domain/limits.ts';
import { RequestError } from '../../../shared/errors.ts';
import { KEY_SCOPES, type KeyLimits, type KeyScope, USER_SCOPES } from '../../../shared/mongo/keyStore.ts';
import { ADDRESS_ENTRY, toAddressEntry } from '../../access/keyRecord.ts';
import { Address, Count, exactly, IsoTime, orNull, WireDecimal, words } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { IsoTimeText, UsdAmount } from '../../contract/requestValues.ts';

// How far an API key may trade, as requests give it and answers show it.

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

const TradeLimitsBody = named(
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

const TradeLimitsAnswer = named(
  'TradeLimits',
  exactly({
    order_usd: orNull(WireDecimal),
    leverage: orNull(Count),
    daily_loss_usd: orNull(WireDecimal),
    orders_per_minute: orNull(Count),
  }),
);

/** @returns undefined where nothing is limited */
function toTradeLimits(body: Static<typeof TradeLimitsBody> | null): TradeLimits | undefined {
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

const toTradeLimitsAnswer = (trade: TradeLimits | undefined): Static<typeof TradeLimitsAnswer> | null =>
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

// The limits of an API key as requests give them and answers show them.

/** Entries of an address list: a request is compared with each. */
const ADDRESSES_MAX = 20;

/** A field that may be left out, or null for no limit. */
const limit = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()], { expected: schema['expected'] }));

export const KeyName = Type.String({ minLength: 1, maxLength: 100, expected: 'a text of 1 to 100 characters' });

const Scope = named('KeyScope', words(...KEY_SCOPES));

export const keyLimitFields = {
  expires_at: limit({ ...IsoTimeText, expected: 'an ISO 8601 time with its zone, or null', examples: ['2099-01-31T12:00:00Z'] }),
  scopes: limit(
    Type.Array(Scope, {
      ...{ minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true },
      expected: 'a list of "read", "trade" and, for operators, "admin:read" and "admin:write", or null',
    }),
  ),
  addresses: limit(
    Type.Array(Type.String({ pattern: ADDRESS_ENTRY, expected: 'an IP address or a network such as 192.0.2.0/24' }), {
      ...{ minItems: 1, maxItems: ADDRESSES_MAX },
      expected: `a list of 1 to ${ADDRESSES_MAX} IP addresses or networks, or null`,
    }),
  ),
  trade_limits: limit(TradeLimitsBody),
} as const;

const KeyLimitBody = Type.Object(keyLimitFields);
export type KeyLimitBody = Static<typeof KeyLimitBody>;

export const keyLimitAnswerFields = {
  expires_at: described(orNull(IsoTime), 'From then on the key is good for nothing; null = no end.'),
  scopes: described(
    Type.Array(Scope),
    'What it may do: look (`read`), change the account (`trade`); of operators: `admin:read`, `admin:write`.',
  ),
  addresses: described(orNull(Type.Array(Type.String())), 'Where it may be used from: addresses and networks; null = anywhere.'),
  trade_limits: described(orNull(TradeLimitsAnswer), 'How far it may trade; null = as far as the account.'),
};

export const boundAccountField = described(
  orNull(Address),
  'The only account that the key reaches, whatever a request says; null: all accounts of the user.',
);

/**
 * The limits that a request asks for.
 * @param kept the key's limits until now: a field that is not given stays
 * @throws {RequestError} 409 for an end that has passed
 */
export function readKeyLimits(
  { expires_at, scopes, addresses, trade_limits }: KeyLimitBody,
  nowMs: number,
  kept: KeyLimits = {},
): KeyLimits {
  const limits = {
    scopes: scopes === undefined ? kept.scopes : toScopes(scopes),
    expiresAt: expires_at === undefined ? kept.expiresAt : toExpiresAt(expires_at, nowMs),
    addresses: addresses === undefined ? kept.addresses : toAddresses(addresses),
    trade: trade_limits === undefined ? kept.trade : toTradeLimits(trade_limits),
  };
  const { scopes: may, expiresAt, addresses: from, trade } = limits;
  return {
    ...(may && { scopes: may }),
    ...(expiresAt && { expiresAt }),
    ...(from && { addresses: from }),
    ...(trade && { trade }),
  };
}

/** What the audit log names of a key that is bound. */
export const bound = ({ account }: { readonly account?: string | undefined }) => (account === undefined ? {} : { account });

/** A key that reaches one account has no use for what concerns everybody's. @throws {RequestError} 409 */
export function refuseOperatorScopes({ scopes }: KeyLimits): void {
  if (scopes?.some((scope) => scope.startsWith('admin:')))
    throw new RequestError(409, 'key_bound', 'A key that is bound to an account cannot have scopes of operators.');
}

/** What an answer shows of them. */
export const toKeyLimitAnswer = ({ expiresAt, scopes, addresses, trade }: KeyLimits) => ({
  expires_at: expiresAt?.toISOString() ?? null,
  scopes: [...(scopes ?? USER_SCOPES)],
  addresses: addresses === undefined ? null : [...addresses],
  trade_limits: toTradeLimitsAnswer(trade),
});

/** What every user may do is no limit. */
function toScopes(scopes: readonly KeyScope[] | null): readonly KeyScope[] | undefined {
  const isNoLimit = scopes?.length === USER_SCOPES.length && USER_SCOPES.every((scope) => scopes.includes(scope));
  return scopes === null || isNoLimit ? undefined : scopes;
}

function toExpiresAt(text: string | null, nowMs: number): Date | undefined {
  if (text === null) return undefined;
  const expiresAt = new Date(text);
  if (expiresAt.getTime() <= nowMs) throw new RequestError(409, 'time_passed', 'expires_at must be in the future.');
  return expiresAt;
}

function toAddresses(entries: readonly string[] | null): readonly string[] | undefined {
  if (entries === null) return undefined;
  return [...new Set(entries.map(toAddressEntry))].filter((entry) => entry !== undefined);
}

export const unknownKey = (): RequestError => new RequestError(404, 'unknown_api_key', 'There is no such API key.');
