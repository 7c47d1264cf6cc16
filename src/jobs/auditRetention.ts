// Removes audit rows older than AUDIT_RETENTION_DAYS, once an hour.

import type { RepeatableJob } from '../shared/deployment/job.ts';
import { DAY_MS, HOUR_MS } from '../shared/domain/units.ts';
import { AuditLog } from '../shared/mongo/auditLog.ts';

export const auditRetention: RepeatableJob = {
  name: 'audit-retention',
  everyMs: HOUR_MS,
  async run({ config, mongo, log }, periodMs) {
    const removed = await new AuditLog(mongo).removeBefore(periodMs - config.AUDIT_RETENTION_DAYS * DAY_MS);
    if (removed > 0) log.info({ removed }, 'old rows of the audit log are removed');
  },
};
