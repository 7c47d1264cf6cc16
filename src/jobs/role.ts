// The role `jobs`: the jobs that run again and again, and the alerts. A new job is a file of its own and a line here (docs/recipes.md).

import { forgetAlerts, startAlerts } from '../features/alerts/job.ts';
import { invoicePoll } from '../features/billing/invoicePoll.ts';
import { trialExpiry } from '../features/billing/trialExpiry.ts';
import type { Config } from '../shared/config/config.ts';
import type { RepeatableJob } from '../shared/deployment/job.ts';
import type { Role, RoleParts } from '../shared/deployment/role.ts';
import { archiveRetention } from './archiveRetention.ts';
import { auditRetention } from './auditRetention.ts';
import { equitySample } from './equitySample.ts';
import { funding } from './funding.ts';
import { keyUsage } from './keyUsage.ts';
import { liquidationScan } from './liquidationScan.ts';
import { retention } from './retention.ts';
import { runJobs } from './runJobs.ts';

/** All jobs, at the intervals that the configuration gives. */
export const jobsOf = (config: Config): readonly RepeatableJob[] => [
  keyUsage,
  auditRetention,
  funding,
  trialExpiry,
  invoicePoll(config.INVOICE_POLL_INTERVAL_MS),
  liquidationScan(config.LIQUIDATION_SCAN_INTERVAL_MS),
  equitySample(config.EQUITY_SAMPLE_INTERVAL_MS),
  retention([forgetAlerts]),
  archiveRetention,
];

/** Resolves when the jobs and the alerts run. */
export async function startJobs(parts: RoleParts): Promise<Role> {
  const [jobs, alerts] = [await runJobs(parts, jobsOf(parts.config)), await startAlerts(parts)];
  return {
    whyNotReady: jobs.whyNotReady,
    async stop() {
      await Promise.all([jobs.stop(), alerts.stop()]);
    },
  };
}
