// How answers tell the caller's limit: each has its headers, also one to a request that was refused or never counted.
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import type { LimitUsage } from '../accounts/services.ts';
import type { RequestState } from './requestContext.ts';

/** The limit of an address without a request: for answers to requests that are not counted. */
export function unusedLimit(config: Pick<Config, 'ANONYMOUS_REQUESTS_PER_MINUTE'>, nowMs: number): LimitUsage {
  return { used: 0, cap: config.ANONYMOUS_REQUESTS_PER_MINUTE, resetMs: nowMs + 60_000 };
}

/** Names and values in turn; the reset is in seconds since the epoch. */
export function limitHeaders({ used, cap, resetMs }: LimitUsage): string[] {
  const [left, resetS] = [Math.max(0, cap - used), Math.ceil(resetMs / 1000)];
  return ['X-RateLimit-Limit', `${cap}`, 'X-RateLimit-Remaining', `${left}`, 'X-RateLimit-Reset', `${resetS}`];
}

/** Keeps the limit that the answer's headers will tell; the last one counts. */
export function tellLimit(ctx: Context, limit: LimitUsage): void {
  (ctx.state as RequestState).limit = limit;
}
