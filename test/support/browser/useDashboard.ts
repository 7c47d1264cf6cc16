// The exchange that the browser tests share, for a start takes longer than most of them: two API nodes are not needed but where
// one is killed, so there is one; the market stands still but where a test moves it.
import { setBooks } from '../faults/coins.ts';
import { Shared } from '../shared.ts';
import { DashboardStack } from './dashboardStack.ts';

const shared = new Shared(() => DashboardStack.start());

/**
 * To be called in a `describe`: it has the exchange before its first test, its books as `coins.ts` says before each, and its
 * pages without a fault after each.
 */
export function useDashboard(begin: (dashboard: DashboardStack) => void): void {
  let dashboard: DashboardStack;
  shared.use((started) => {
    dashboard = started;
    begin(started);
  });
  beforeEach(() => setBooks(dashboard.stack.market));
  afterEach(() => dashboard.endPages());
}
