// Redis and MongoDB as the roles see them.
import type { Dashboard } from '../dashboard.ts';

export const stores: Dashboard = {
  uid: 'stores',
  title: 'stores',
  about: 'Redis and MongoDB as the roles see them. Their own figures come from their own exporters.',
  rows: [
    {
      title: 'Reached',
      panels: [
        {
          title: 'Nodes that reach Redis',
          unit: 'none',
          lines: [
            ['sum(service_redis_up)', 'reach it'],
            ['count(service_redis_up)', 'nodes'],
          ],
        },
        {
          title: 'Nodes that reach MongoDB',
          unit: 'none',
          lines: [
            ['sum(service_mongo_up)', 'reach it'],
            ['count(service_mongo_up)', 'nodes'],
          ],
        },
        { title: 'Lag of the archive', unit: 's', lines: [['max(actor_archive_lag_seconds)', 'lag']] },
        {
          title: 'Archived bytes a second',
          unit: 'bytes',
          lines: [['sum(rate(actor_archive_bytes_total[5m]))', 'compressed bytes']],
        },
        { title: 'Lag of history in MongoDB', unit: 's', lines: [['max(actor_history_lag_seconds)', 'lag']] },
      ],
    },
    {
      title: 'What the exchange keeps in Redis',
      panels: [
        { title: 'By kind', unit: 'bytes', lines: [['sum by (of) (shard_bytes)', '{{of}}']] },
        { title: 'Journals by pod', unit: 'bytes', lines: [['actor_journal_bytes', '{{instance}}']] },
        { title: 'Parked commands', unit: 'short', lines: [['sum(shard_dead_letters)', 'commands']] },
      ],
    },
  ],
};
