// The exchange behind a server of the venue's protocol (the emulated venue, or a recording that is played), and the requests to it.
import type { BookAggregation } from '../domain/aggregateBook.ts';
import type { VenueMeta } from '../domain/asset.ts';
import { INTERVALS, type Interval } from '../domain/candleInterval.ts';

/** A subscription with its defaults and without unknown fields. */
export type ExchangeSubscription = Pick<Body, 'coin' | 'nSigFigs' | 'mantissa' | 'interval' | 'user'> & {
  readonly type: string;
  readonly fast?: boolean;
};

export interface Exchange {
  /** Whether channels of addresses can be subscribed to. */
  readonly hasUsers: boolean;
  hasCoin(coin: string): boolean;
  /** Answers an `info` request. @throws {UnreadableRequest} for a request that the venue cannot read */
  info(body: unknown): Promise<unknown>;
  /** Data of the first frame after subscribing, also what is pushed where frames are derived; undefined: none. */
  snapshot(subscription: ExchangeSubscription): unknown;
}

/** A frame as it is pushed. `data` is called only when a client is subscribed. */
export interface Frame {
  readonly channel: string;
  readonly coin: string | undefined;
  /** Of a channel of an address, in lower case. */
  readonly user?: string;
  readonly data: () => unknown;
}

// Requests to a server of the venue's protocol, as far as our servers read them.

/** A request that the venue cannot read: HTTP 422 with plain text, or a message on channel `error`. */
export class UnreadableRequest extends Error {
  override name = 'UnreadableRequest';
}

/** Fields of the known requests, not yet checked. */
export interface Body {
  readonly type?: unknown;
  readonly dex?: unknown;
  readonly coin?: unknown;
  readonly nSigFigs?: unknown;
  readonly mantissa?: unknown;
  readonly req?: unknown;
  readonly interval?: unknown;
  readonly startTime?: unknown;
  readonly endTime?: unknown;
  readonly id?: unknown;
  readonly user?: unknown;
  readonly oid?: unknown;
}

/** @throws {UnreadableRequest} for what is no object */
export function requireBody(value: unknown): Body {
  if (typeof value !== 'object' || value === null) throw new UnreadableRequest();
  return value;
}

/** @throws {UnreadableRequest} when the fields are there and are not what the venue allows */
export function toAggregation(body: Body): BookAggregation | undefined {
  const { nSigFigs = null, mantissa = null } = body;
  if (nSigFigs === null && mantissa === null) return undefined;
  if (![2, 3, 4, 5].includes(nSigFigs as number)) throw new UnreadableRequest();
  if (mantissa === null) return { nSigFigs: nSigFigs as 2 | 3 | 4 | 5 };
  if (nSigFigs !== 5 || ![1, 2, 5].includes(mantissa as number)) throw new UnreadableRequest();
  return { nSigFigs, mantissa: mantissa as 1 | 2 | 5 };
}

/** @throws {UnreadableRequest} when the field is no text */
export function requireText(body: Body, field: 'coin' | 'interval'): string {
  const value = body[field];
  if (typeof value !== 'string') throw new UnreadableRequest();
  return value;
}

/** The candles that a `candleSnapshot` asks for. @throws {UnreadableRequest} */
export function requireCandles(value: unknown, nowMs: number) {
  const body = requireBody(value);
  const interval = requireText(body, 'interval') as Interval;
  if (!INTERVALS.includes(interval)) throw new UnreadableRequest();
  return { coin: requireText(body, 'coin'), interval, ...requireRange(body, nowMs) };
}

/** A table that is not listed has one step. @throws {UnreadableRequest} when its id is no whole number */
export function marginTable({ marginTables }: VenueMeta, { id }: Body): unknown {
  if (!Number.isInteger(id)) throw new UnreadableRequest();
  const listed = marginTables?.find(([tableId]) => tableId === id);
  return listed?.[1] ?? { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: id }] };
}

/** The range of times that a request asks for. @throws {UnreadableRequest} */
export function requireRange(body: Body, nowMs: number): { startMs: number; endMs: number } {
  const { startTime, endTime = null } = body;
  if (!isTime(startTime) || !(endTime === null || isTime(endTime))) throw new UnreadableRequest();
  return { startMs: startTime, endMs: endTime ?? nowMs };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
