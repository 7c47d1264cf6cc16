// What the views of a node do, read at each scrape: how many questions they answer and why not the others, and what they hold.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AccountViews } from './accountViews.ts';

export function registerViewMetrics(registry: Registry, views: AccountViews): void {
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
