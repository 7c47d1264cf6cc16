// All that the role `jobs` does: the jobs that come again and again, and the alerts, which have a queue of their own.
import type { Role, RoleParts } from '../../shared/role.ts';
import { startAlerts } from '../alerts/startAlerts.ts';
import { startJobs } from '../role.ts';

/** Resolves when both run. */
export async function startJobsAndAlerts(parts: RoleParts): Promise<Role> {
  const [jobs, alerts] = [await startJobs(parts), await startAlerts(parts)];
  return {
    whyNotReady: jobs.whyNotReady,
    async stop() {
      await Promise.all([jobs.stop(), alerts.stop()]);
    },
  };
}
