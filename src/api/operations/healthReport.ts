// What operators read at /health of METRICS_PORT: roles, shards, and the age of each feed.
import type { Config } from '../../shared/config/config.ts';

/** Ages over the listed coins, ms; null before the first datum. `stale` counts coins older than the bound. */
interface WireFeedAge {
  readonly newest_ms: number | null;
  readonly oldest_ms: number | null;
  readonly stale: number;
}

/** Times are ISO 8601. */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** Why it is not `ok`, in words for an operator. */
  readonly reasons: readonly string[];
  readonly as_of: string;
  /** The process that reports. */
  readonly node_id: string;
  readonly redis: { readonly up: boolean };
  readonly mongo: { readonly up: boolean; readonly history_lag_ms: number | null };
  readonly roles: {
    readonly actors: readonly WirePod[];
    readonly market: { readonly leader: string | null };
    readonly jobs: readonly { readonly node_id: string; readonly heartbeat: string }[];
  };
  readonly market: {
    readonly source: MarketSource;
    readonly connected_since: string | null;
    readonly feeds: Readonly<Record<'book' | 'context' | 'trades' | 'mids', WireFeedAge>>;
  };
  /** Pod of each shard, null without a recovered owner. */
  readonly shards: { readonly count: number; readonly ready: number; readonly owners: readonly (string | null)[] };
}

interface WirePod {
  readonly pod_id: string;
  readonly leaving: boolean;
  readonly shards: readonly number[];
  readonly accounts: number;
  readonly heartbeat: string;
  /** Newest generation of stored forms that it reads. */
  readonly reads: number;
  /** Shards that it left to newer pods, and what it met there. */
  readonly refused: readonly { readonly shard: number; readonly form: string; readonly version: number }[];
}

export type MarketSource = Config['MARKET_SOURCE'];
