// Removes audit rows older than AUDIT_RETENTION_DAYS, once an hour.
import { AuditLog } from '../shared/mongo/auditLog.ts';
import type { RepeatableJob } from './job.ts';

const DAY_MS = 86_400_000;

export const auditRetention: RepeatableJob = {
  name: 'audit-retention',
  everyMs: 3_600_000,
  async run({ config, mongo, log }, periodMs) {
    const removed = await new AuditLog(mongo).removeBefore(periodMs - config.AUDIT_RETENTION_DAYS * DAY_MS);
    if (removed > 0) log.info({ removed }, 'old rows of the audit log are removed');
  },
};
