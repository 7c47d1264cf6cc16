import { expect } from 'chai';
import { causesOf, marketAgeMs } from '../../../src/api/operations/operators.ts';

const feed = (newestMs: number | null) => ({ newest_ms: newestMs, oldest_ms: newestMs, stale: 0 });

function report(
  over: {
    status?: 'ok' | 'degraded' | 'unavailable';
    redis?: boolean;
    mongo?: boolean;
    jobs?: number;
    ready?: number;
    book?: number | null;
    context?: number | null;
  } = {},
) {
  const { status = 'unavailable', redis = true, mongo = true, jobs = 1, ready = 4, book = 10, context = 900 } = over;
  return {
    status,
    redis: { up: redis },
    mongo: { up: mongo, history_lag_ms: 5 },
    roles: {
      actors: [],
      market: { leader: 'market-a' },
      jobs: Array.from({ length: jobs }, () => ({ node_id: 'jobs-a', heartbeat: '2026-11-24T00:00:00.000Z' })),
    },
    market: {
      source: 'live' as const,
      connected_since: null,
      feeds: { book: feed(book), context: feed(context), trades: feed(null), mids: feed(1) },
    },
    shards: { count: 4, ready, owners: [] },
  };
}

describe('why the service is not well, as everybody may read it', () => {
  const cases: { name: string; seen: ReturnType<typeof report>; want: readonly string[] }[] = [
    { name: 'nothing while it is well', seen: report({ status: 'ok' }), want: [] },
    { name: 'without Redis nothing else is known', seen: report({ redis: false, ready: 0, book: null }), want: ['stores_away'] },
    { name: 'shards without an owner', seen: report({ ready: 3 }), want: ['accounts_starting'] },
    {
      name: 'a market at the bound is not stale',
      seen: report({ status: 'degraded', jobs: 0, context: 1_000 }),
      want: ['jobs_away'],
    },
    { name: 'a market past the bound is', seen: report({ context: 1_001 }), want: ['market_stale'] },
    { name: 'a market that has not come is', seen: report({ book: null }), want: ['market_stale'] },
    { name: 'several at once', seen: report({ ready: 0, mongo: false }), want: ['accounts_starting', 'history_away'] },
    { name: 'what has no word here', seen: report(), want: ['other'] },
  ];
  for (const { name, seen, want } of cases) it(name, () => expect(causesOf(seen, 1_000)).to.deep.equal(want));

  it('the market is as old as the older of its newest book and mark', () => {
    expect(marketAgeMs(report({ book: 10, context: 900 }))).to.equal(900);
    expect(marketAgeMs(report({ book: 10, context: null }))).to.equal(null);
  });
});
