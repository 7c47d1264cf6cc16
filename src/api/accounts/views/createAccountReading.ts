// Puts the reading of accounts together: views in front of the account's owner, and a history that keeps what it read beside
// them.
import type { Registry } from 'prom-client';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AccountGateway } from '../accountGateway.ts';
import type { RepliesHeard } from '../gateway/repliesHeard.ts';
import { HistoryReader } from '../historyReader.ts';
import type { AccountHistory } from '../services.ts';
import type { AccountView } from './accountView.ts';
import { AccountViews } from './accountViews.ts';
import { KeptHistory } from './keptHistory.ts';
import { VersionReader } from './versionReader.ts';
import { registerViewMetrics } from './viewMetrics.ts';

export interface AccountReadingParts {
  /** Sends commands to the accounts' owners. */
  readonly gateway: AccountGateway;
  /** Tells entries of accounts that this node has asked to follow. */
  readonly replies: Pick<RepliesHeard, 'follow'>;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly market: LiveMarket;
  readonly config: Pick<Config, 'SHARDS' | 'VIEWS_MAX_BYTES'>;
  /** The exchange's clock. */
  readonly now: () => number;
  /** Monotonic, ms. */
  readonly clock?: () => number;
  readonly log: Logger;
  readonly registry: Registry;
}

export interface AccountReading {
  readonly views: AccountViews;
  /** @param onKept told the view of what was kept beside it and need not be read */
  readonly historyOf: (gateway: AccountGateway, onKept?: (view: AccountView) => void) => AccountHistory;
}

export function createAccountReading(parts: AccountReadingParts): AccountReading {
  const { redis, mongo, config, registry } = parts;
  const versions = new VersionReader(redis, config);
  const views = new AccountViews({ ...parts, versions });
  parts.replies.follow((followed) => views.onFollowed(followed));
  registerViewMetrics(registry, views);
  const readerOf = (asked: AccountGateway): AccountHistory => new HistoryReader({ gateway: asked, mongo });
  const historyOf = (asked: AccountGateway, onKept: (view: AccountView) => void = () => undefined): AccountHistory =>
    new KeptHistory({ views, gateway: asked, historyOf: readerOf, onKept });
  return { views, historyOf };
}
