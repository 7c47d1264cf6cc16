// Puts the reading of accounts together: views in front of the account's owner, and a history that keeps what it read beside
// them.

import type { Registry } from 'prom-client';
import type { FillRow, HistoryKind, NumberedRow, OrderRow } from '../../../actors/core/messages/historyRows.ts';
import type { OrderTarget } from '../../../actors/core/messages/order.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Logger } from '../../../shared/logger.ts';
import { scrapedMetrics } from '../../../shared/metrics/scrapedMetrics.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AccountGateway } from '../accountGateway.ts';
import type { RepliesHeard } from '../gateway/repliesHeard.ts';
import { type HistoryPage, type HistoryPageWanted, HistoryReader } from '../historyReader.ts';
import type { Past } from '../historySources.ts';
import type { HistoryRange } from '../mergedHistory.ts';
import type { AccountHistory } from '../services.ts';
import type { AccountView, ViewRules } from './accountView.ts';
import { AccountViews } from './accountViews.ts';
import { VersionReader } from './versionReader.ts';

export interface AccountReadingParts {
  /** Puts commands into the accounts' mailboxes. */
  readonly gateway: Pick<AccountGateway, 'send'>;
  /** Tells entries of accounts that this node has asked to follow. */
  readonly replies: Pick<RepliesHeard, 'follow'>;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly rules: ViewRules;
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
  const { gauge, counter, counters } = scrapedMetrics(registry);
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
  counters('api_account_view_misses_total', 'Questions about accounts that their owners answered, by reason.', {
    label: 'reason',
    read: () => views.figures.misses,
  });
}

interface KeptHistoryParts {
  readonly views: Pick<AccountViews, 'past'>;
  /** For questions to the account. */
  readonly gateway: Pick<AccountGateway, 'ask'>;
  readonly historyOf: (gateway: Pick<AccountGateway, 'ask'>) => AccountHistory;
  /** Told when nothing was read: the data shows the state of this view. */
  readonly onKept: (view: AccountView) => void;
}

type KeyOf = (view: AccountView) => string;

/**
 * An account's history as endpoints read it. The view of the account keeps the rows, and they answer again while the account has not
 * changed. Rows come only with entries, so another reading would give the same.
 */
export class KeptHistory implements AccountHistory {
  readonly #parts: KeptHistoryParts;

  constructor(parts: KeptHistoryParts) {
    this.#parts = parts;
  }

  latest(past: Past, kind: HistoryKind, limit: number): Promise<NumberedRow[]> {
    return this.#past(
      past,
      () => `latest ${kind} ${limit}`,
      (history) => history.latest(past, kind, limit),
    );
  }

  between(past: Past, kind: HistoryKind, range: HistoryRange): Promise<NumberedRow[]> {
    return this.#past(
      past,
      (view) => `between ${kind} ${JSON.stringify(inView(range, view))}`,
      (history) => history.between(past, kind, range),
    );
  }

  findOrder(past: Past, target: OrderTarget): Promise<OrderRow | undefined> {
    return this.#past(
      past,
      () => `order ${JSON.stringify(target)}`,
      (history) => history.findOrder(past, target),
    );
  }

  /** Pages follow each other, so they are not kept. */
  page(past: Past, kind: HistoryKind, want: HistoryPageWanted): Promise<HistoryPage> {
    return this.#parts.historyOf(this.#parts.gateway).page(past, kind, want);
  }

  findFill(past: Past, tid: number): Promise<FillRow | undefined> {
    return this.#parts.historyOf(this.#parts.gateway).findFill(past, tid);
  }

  async #past<Data>(
    { accountId, ...options }: Past,
    key: KeyOf,
    read: (history: AccountHistory) => Promise<Data>,
  ): Promise<Data> {
    const { views, gateway, historyOf, onKept } = this.#parts;
    const { data, view } = await views.past(accountId, key, {
      ...options,
      read: async () => {
        const seqs: number[] = [];
        const noting: Pick<AccountGateway, 'ask'> = {
          ask: async (...asked) => {
            const answered = await gateway.ask(...asked);
            seqs.push(answered.seq);
            return answered;
          },
        };
        const rows = await read(historyOf(noting));
        return { data: rows, rows: Array.isArray(rows) ? rows.length : 1, seqs };
      },
    });
    if (view !== undefined) onKept(view);
    return data;
  }
}

/** An end that lies after the account's last entry is no end: what is asked up to now again and again is the same. */
const inView = ({ endMs, ...range }: HistoryRange, { account }: AccountView): HistoryRange =>
  endMs === undefined || endMs >= account.timeMs ? range : { ...range, endMs };
