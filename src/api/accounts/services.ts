// The parts and the caller that an endpoint gets: who asks, which request it is, and the services that can answer. An
// HTTP body and a WebSocket post reach `answerInfo` and `runAction` through the same two types.
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Span } from '../../shared/tracing/tracing.ts';
import type { Upstream } from '../../shared/venue/upstream.ts';
import type { AccountGateway } from './accountGateway.ts';
import type { Past } from './heldHistory.ts';
import type { HistoryReader } from './historyReader.ts';

/** The owner of the API key, or else of the access token, that came with the request. */
export interface Caller {
  readonly userId: string;
  /** The account's 0x address, 40 hex digits in lower case; equal to `address`. */
  readonly accountId: string;
  readonly address: string;
  readonly plan: Plan;
  /** Id of the key; the key itself never leaves the request pipeline. Empty where a token came. */
  readonly keyId: string;
}

/** Whose past a call reads. */
export const pastOf = ({ caller: { accountId }, requestId, trace }: Call): Past => ({ accountId, requestId, trace });

/** One request on `info` or `exchange`. */
export interface Call {
  readonly caller: Caller;
  readonly requestId: string;
  /** Where the call is traced. */
  readonly trace?: Span | undefined;
  readonly receivedAtMs: number;
  /** The client's `Idempotency-Key`, with the SHA-256 (hex) of the body it came with. */
  readonly idempotencyKey?: string;
  readonly bodyDigest?: string;
}

/** The caller's request limit in the current window. `resetMs` is a time in ms since the epoch. */
export interface LimitUsage {
  readonly used: number;
  readonly cap: number;
  readonly resetMs: number;
}

/** The account's history, as far as endpoints read it. */
export type AccountHistory = Pick<HistoryReader, 'latest' | 'between' | 'page' | 'findOrder' | 'findFill'>;

/** The parts an endpoint may use. */
export interface Services {
  readonly gateway: AccountGateway;
  readonly history: AccountHistory;
  readonly market: LiveMarket;
  readonly upstream: Pick<Upstream, 'info'>;
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly limits: { usage(call: Call): LimitUsage };
}
