// The dashboards of operators, one for each question. Every metric that one names is shown by a running role, which
// test/start/start.e2e.test.ts checks.
import type { Dashboard } from './dashboard.ts';
import { account } from './dashboards/account.ts';
import { business } from './dashboards/business.ts';
import { jobs } from './dashboards/jobs.ts';
import { market } from './dashboards/market.ts';
import { service } from './dashboards/service.ts';
import { shards } from './dashboards/shards.ts';
import { stores } from './dashboards/stores.ts';

export const dashboards: readonly Dashboard[] = [service, shards, account, market, jobs, stores, business];
