// The values that answers consist of, as the published contract describes them. Objects made here are closed: a field
// in an answer that its schema lacks is a fault, and a test finds it.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { described, named } from './named.ts';

/** Decimal text as the venue writes it: a point and at least one decimal. */
export const WireDecimal = Type.String({
  pattern: '^-?\\d+\\.\\d+$',
  description: 'A decimal number as text, always with a point.',
  examples: ['1234.5'],
});
/** Decimal text with or without a point. */
export const PlainDecimal = Type.String({
  pattern: '^-?\\d+(\\.\\d+)?$',
  description: 'A decimal number as text.',
  examples: ['0.25'],
});
/** Money of invoices: USD with two decimals. */
export const UsdText = Type.String({ pattern: '^\\d+\\.\\d{2}$', description: 'USD with two decimals.', examples: ['20.00'] });
export const IsoTime = Type.String({
  format: 'date-time',
  pattern: '^[+-]?\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  description: 'ISO 8601, UTC.',
  examples: ['2026-11-21T12:00:00.000Z'],
});
export const EpochMs = Type.Integer({
  minimum: 0,
  description: 'Milliseconds since the Unix epoch.',
  examples: [1_795_262_400_000],
});
export const Count = Type.Integer({ minimum: 0 });
export const OrderId = Type.Integer({ minimum: 0, description: 'Id of an order.', examples: [16_000_003] });
export const TradeId = Type.Integer({ minimum: 0, description: 'Id of an execution.', examples: [16_000_019] });
export const CoinName = Type.String({ description: 'Name of a market.', examples: ['BTC'] });
export const Address = Type.String({
  pattern: '^0x[0-9a-f]{40}$',
  description: 'An address: 0x and 40 hex digits in lower case.',
  examples: ['0x00000000000000000000000000000000000000aa'],
});
export const Cloid = Type.String({
  pattern: '^0x[0-9a-f]{32}$',
  description: 'The client’s own id of an order, in lower case.',
  examples: ['0x1234567890abcdef1234567890abcdef'],
});
export const Hash = Type.String({
  pattern: '^0x[0-9a-fA-F]{64}$',
  description: 'A transaction hash; there is no chain here, so all zeros but for what the venue reports.',
});
export const UserId = Type.String({ description: 'Id of a user.', examples: ['user_5f0c1d2e3a4b5c6d7e8f9a0b'] });
export const ApiKeyId = Type.String({ description: 'Id of an API key.', examples: ['key_5f0c1d2e3a4b5c6d7e8f9a0b'] });
export const SessionId = Type.String({ description: 'Id of a session.', examples: ['ses_5f0c1d2e3a4b5c6d7e8f9a0b'] });
export const PlanName = named('PlanName', words('basic', 'pro'));
export const SubscriptionStatus = named('SubscriptionStatus', words('trial', 'active', 'past_due', 'expired'));
export const UserRoleName = named('GrantedRole', words('operator'));
export const BillingPeriod = named('BillingPeriod', words('month', 'year'));
export const InvoiceStatusName = named('InvoiceStatus', words('open', 'paid', 'expired', 'void', 'refunded', 'disputed'));
export const DiscountKindName = named('DiscountKind', words('percent', 'amount'));
export const HealthStatus = named('HealthStatus', words('ok', 'degraded', 'unavailable'));
export const DiscountScope = named('DiscountScope', words('first', 'all'));
export const TradeSide = named('TradeSide', words('buy', 'sell'));
export const Liquidity = named('Liquidity', words('maker', 'taker'));
export const MarginMode = named('MarginMode', words('cross', 'isolated'));
export const MarketSource = named('MarketSource', words('live', 'emulated', 'replay'));
export const Message = named('Message', exactly({ message: Type.String({ description: 'What was done, in words.' }) }));
export const Cursor = described(orNull(Type.String()), 'Where the next page begins; null at the end.');

/** An object with these fields and no other. */
export function exactly<F extends TProperties>(fields: F, options: { description?: string } = {}) {
  return Type.Object(fields, { additionalProperties: false, ...options });
}

/** An object with these fields and any others that the venue sends. */
export function atLeast<F extends TProperties>(fields: F, options: { description?: string } = {}) {
  return Type.Object(fields, { additionalProperties: true, ...options });
}

export function orNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** One of some words. */
export function words<W extends string>(...allowed: readonly W[]) {
  return Type.Unsafe<W>({ type: 'string', enum: [...allowed] });
}

/** A value of the venue that is passed on as it comes: described here, and not computed with. */
export const venueValue = (schema: TSchema) => Type.Unsafe<unknown>(schema);

/** The type of an answer with this schema, for the function that makes the answer. */
export type AnswerFor<S extends TSchema> = Unchanged<Static<S>>;

type Unchanged<T> = T extends object ? { readonly [Field in keyof T]: Unchanged<T[Field]> } : T;
