// The windows in which the requests of a caller count, and the figures of each plan for them. A key has its plan's figures; all keys of a
// user together have those figures as often as the plan has keys, so that a key that is made anew begins with what its user has left.
// Access tokens have a window of their own, so that a dashboard takes nothing from the bots.
import type { Config } from '../../shared/config/config.ts';
import { type Plan, plans } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Price } from '../domain/requestPrice.ts';
import type { Caller } from './keyRecord.ts';
import type { Charge, ChargeDecision, LimitUsage } from './limits/charge.ts';

interface Window {
  readonly subject: string;
  /** As in `Charge`. */
  readonly beside?: string;
  readonly requests: number;
  readonly weight: number;
  /** Whose window it is, for the text of a refusal. */
  readonly of: string;
}

/** The caller's own window first: its figure of requests is the one that answers tell. */
export type Budget = readonly [Window, ...Window[]];

export function budgetOfKey({ keyId, userId, plan }: Pick<Caller, 'keyId' | 'userId' | 'plan'>, config: Config): Budget {
  const own = { requests: requestsPerMinute(plan, config), weight: weightPerMinute(plan, config) };
  const { apiKeysMax } = plans[plan];
  const ofAll = { requests: apiKeysMax * own.requests, weight: apiKeysMax * own.weight };
  const owner = `owner:${userId}`;
  return [
    { subject: `key:${keyId}`, beside: owner, ...own, of: 'one API key' },
    { subject: owner, ...ofAll, of: 'all API keys of a user' },
  ];
}

export function budgetOfToken({ userId, plan }: Pick<Caller, 'userId' | 'plan'>, config: Config): Budget {
  const figures = { requests: requestsPerMinute(plan, config), weight: weightPerMinute(plan, config) };
  return [{ subject: `user:${userId}`, ...figures, of: 'a user’s access tokens' }];
}

export function budgetOfAddress(network: string, config: Config): Budget {
  const { ANONYMOUS_REQUESTS_PER_MINUTE: requests, ANONYMOUS_WEIGHT_PER_MINUTE: weight } = config;
  return [{ subject: `address:${network}`, requests, weight, of: 'a network address' }];
}

/** Charges of each budget by the price, for requests have few. */
const known = new WeakMap<Budget, Map<number, readonly Charge[]>>();
/** Prices of one budget; past it they are forgotten. */
const PRICES_MAX = 64;
/** No weight is so large. */
const WEIGHTS = 2 ** 32;

/** The charges of a price: first in the windows of requests, then in those of weights. What costs nothing is left out. */
export function chargesOf(budget: Budget, price: Price): readonly Charge[] {
  let ofBudget = known.get(budget);
  if (ofBudget === undefined) {
    ofBudget = new Map();
    known.set(budget, ofBudget);
  }
  const id = price.requests * WEIGHTS + price.weight;
  let charges = ofBudget.get(id);
  if (charges === undefined) {
    charges = newCharges(budget, price);
    if (ofBudget.size >= PRICES_MAX) ofBudget.clear();
    ofBudget.set(id, charges);
  }
  return charges;
}

function newCharges(budget: Budget, { requests, weight }: Price): Charge[] {
  const ofRequests = budget.map(({ subject, beside = subject, requests: cap }) => ({ subject, beside, cap, cost: requests }));
  const ofWeights = budget.map(({ subject, beside = subject, weight: cap }) => ({
    subject: `weight:${subject}`,
    weightOf: subject,
    beside,
    cap,
    cost: weight,
  }));
  return [...(requests > 0 ? ofRequests : []), ...(weight > 0 ? ofWeights : [])];
}

/** What answers tell of the limit: the plan's requests, by the window that has the least left. */
export function usageOf(budget: Budget, { windows }: ChargeDecision): LimitUsage {
  const { requests: cap } = budget[0];
  let least = Number.POSITIVE_INFINITY;
  let resetMs = 0;
  for (let i = 0; i < budget.length; i++) {
    const window = windows[i];
    if (window === undefined || window.cap - window.used >= least) continue;
    least = window.cap - window.used;
    resetMs = window.resetMs;
  }
  return { used: cap - Math.min(cap, Math.max(0, least)), cap, resetMs };
}

/** Limits are per minute. The extra time of a sub-window has passed when the next request arrives. */
const RETRY_SECONDS_MAX = 60;

/** The 429 that says which budget is used up, and when there is room for this request. */
export function refusalOf(budget: Budget, price: Price, decision: ChargeDecision, nowMs: number): RequestError {
  const { windows, refusedBy = 0 } = decision;
  const { cap, resetMs } = windows[refusedBy] ?? { cap: 0, resetMs: nowMs };
  const seconds = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil((resetMs - nowMs) / 1000)));
  const retry = { 'Retry-After': String(seconds) };
  const isOfRequests = price.requests > 0 && refusedBy < budget.length;
  const { of } = budget[refusedBy % budget.length] ?? budget[0];
  return isOfRequests
    ? new RequestError(429, 'rate_limited', `More than ${cap} requests a minute of ${of}. Try again in ${seconds} s.`, retry)
    : new RequestError(
        429,
        'weight_limited',
        `More than a weight of ${cap} a minute of ${of}. Try again in ${seconds} s.`,
        retry,
      );
}

// The requests and the weight per minute that a plan includes, as this deployment is configured.

/** Requests a minute that one API key of the plan may make, or a user of the plan with access tokens. */
export function requestsPerMinute(plan: Plan, config: Config): number {
  return plan === 'pro' ? config.PLAN_PRO_REQUESTS_PER_MINUTE : config.PLAN_BASIC_REQUESTS_PER_MINUTE;
}

/** The weight of those requests together. */
function weightPerMinute(plan: Plan, config: Config): number {
  return plan === 'pro' ? config.PLAN_PRO_WEIGHT_PER_MINUTE : config.PLAN_BASIC_WEIGHT_PER_MINUTE;
}
