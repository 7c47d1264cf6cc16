// The endpoints that a dashboard reads, with an access token or an API key. They only read, so an account whose trial is over
// can still be looked at.
import type { UserStore } from '../../shared/userStore.ts';
import type { AuthRouter } from '../auth/authParts.ts';
import type { Call, Services } from '../call.ts';
import { answerJson } from '../jsonAnswer.ts';
import type { VisitContext } from '../visit.ts';
import { readAnalytics } from './analytics.ts';
import { readEquityCurve } from './equityCurve.ts';
import { readFills } from './fills.ts';
import { HeavyReads } from './heavyReads.ts';
import { ORDER_STATUSES, readOpenOrders, readOrders } from './orders.ts';
import { readOverview, readPositions } from './overview.ts';
import { choiceOf, INTERVALS, periodOf, readListQuery } from './query.ts';
import { requireReader } from './reader.ts';

export function mountDashboard(router: AuthRouter, services: Services, users: Pick<UserStore, 'findById'>): void {
  const heavyReads = new HeavyReads();
  const mount = (name: string, read: (call: Call, ctx: VisitContext) => Promise<unknown>): void => {
    router.get(`/v1/exchanges/:exchange/account/${name}`, async (ctx) => {
      const { market, config } = services;
      ctx.res.setHeader('X-Market-Source', market.status?.source ?? config.MARKET_SOURCE);
      const call = await requireReader(ctx, users);
      answerJson(ctx, await read(call, ctx));
    });
  };
  mount('overview', (call) => readOverview(services, call));
  mount('positions', (call) => readPositions(services, call));
  mount('orders', (call, ctx) =>
    readOrders(services, call, { ...readListQuery(ctx), status: choiceOf(ctx, 'status', ORDER_STATUSES) }),
  );
  mount('orders/open', (call, ctx) => readOpenOrders(services, call, readListQuery(ctx)));
  mount('fills', (call, ctx) => readFills(services.history, call, readListQuery(ctx)));
  mount('analytics', (call, ctx) => {
    const period = periodOf(ctx);
    return heavyReads.run(() => readAnalytics(services, call, period));
  });
  mount('equity-curve', (call, ctx) => {
    const period = periodOf(ctx);
    const interval = choiceOf(ctx, 'interval', Object.keys(INTERVALS) as (keyof typeof INTERVALS)[]);
    return heavyReads.run(() => readEquityCurve(services, call, { period, interval }));
  });
}
