// Puts the reading of accounts together: views in front of the account's owner, and a history that keeps what it read beside
// them.
import { Counter, Gauge, type Registry } from 'prom-client';
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

export interface AccountReadingParts {
  /** Puts commands into the accounts' mailboxes. */
  readonly gateway: Pick<AccountGateway, 'send'>;
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
  readonly historyOf: (gateway: Pick<AccountGateway, 'ask'>, onKept?: (view: AccountView) => void) => AccountHistory;
}

export function createAccountReading(parts: AccountReadingParts): AccountReading {
  const { redis, mongo, config, registry } = parts;
  const versions = new VersionReader(redis, config);
  const views = new AccountViews({ ...parts, versions });
  parts.replies.follow((followed) => views.onFollowed(followed));
  registerViewMetrics(registry, views);
  const readerOf = (asked: Pick<AccountGateway, 'ask'>): AccountHistory => new HistoryReader({ gateway: asked, mongo });
  const historyOf = (asked: Pick<AccountGateway, 'ask'>, onKept: (view: AccountView) => void = () => undefined): AccountHistory =>
    new KeptHistory({ views, gateway: asked, historyOf: readerOf, onKept });
  return { views, historyOf };
}

/** What the views of a node do, read at each scrape: how many questions they answer and why not the others, and what they hold. */
function registerViewMetrics(registry: Registry, views: AccountViews): void {
  const registers = [registry];
  counter(
    'api_account_view_hits_total',
    'Questions about accounts that this node answered from a view.',
    () => views.figures.hits,
  );
  counter(
    'api_account_view_followed_hits_total',
    'Those of them that a view has answered which had followed its account.',
    () => views.figures.followedHits,
  );
  counter('api_account_view_entries_total', 'Journal entries that views have followed.', () => views.figures.folded);
  counter('api_account_view_fetches_total', 'Views that were asked for.', () => views.figures.fetches);
  counter('api_account_view_evictions_total', 'Views that made room for others.', () => views.figures.evicted);
  gauge('api_account_views', 'Views held.', () => views.figures.size);
  gauge('api_account_view_bytes', 'What views and answers kept beside them hold, bytes.', () => views.figures.bytes);
  new Counter({
    name: 'api_account_view_misses_total',
    help: 'Questions about accounts that their owners answered, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of views.figures.misses) this.inc({ reason }, count);
    },
  });

  function counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
}
