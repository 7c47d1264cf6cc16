// The owners of the shards, and the distance of each shard from its bounds.
import type { Dashboard } from '../dashboard.ts';
import { rate, sumBy, threads } from '../panels.ts';

export const shards: Dashboard = {
  uid: 'shards',
  title: 'shards',
  about: 'Who owns the shards, what they carry, and how near they are to their bounds.',
  rows: [
    {
      title: 'Ownership',
      panels: [
        { title: 'Shards by pod', unit: 'short', lines: [['actor_shards', '{{instance}}']] },
        { title: 'Accounts in memory by pod', unit: 'short', lines: [['actor_accounts', '{{instance}}']] },
        {
          title: 'Shards recovered anew, refused, lost by Redis',
          unit: 'short',
          lines: [
            ['sum(increase(actor_shard_restarts_total[$__rate_interval]))', 'recovered anew'],
            ['sum(actor_refused_shards)', 'refused'],
            ['sum(increase(actor_redis_losses_total[$__rate_interval]))', 'lost by Redis'],
            ['max(actor_unconfirmed_seconds)', 'waiting for replicas, s'],
          ],
        },
      ],
    },
    {
      title: 'Load',
      panels: [
        { title: 'Commands', unit: 'ops', lines: [[sumBy('instance', rate('actor_commands_total')), '{{instance}}']] },
        {
          title: 'Commands a commit',
          unit: 'short',
          lines: [
            [
              `${sumBy('instance', rate('actor_commands_total'))} / ${sumBy('instance', rate('actor_commits_total'))}`,
              '{{instance}}',
            ],
          ],
        },
        {
          title: 'Time of the pod’s thread by shard, the busiest',
          about: 'Above a half: move the shard, or its neighbours, to another pod (bin/admin shards move).',
          unit: 'percentunit',
          lines: [[`topk(10, ${sumBy('shard', rate('actor_shard_busy_seconds_total'))})`, 'shard {{shard}}']],
        },
        {
          title: 'Commands by shard, those with most',
          unit: 'ops',
          lines: [[`topk(10, ${sumBy('shard', rate('actor_shard_commands_total'))})`, 'shard {{shard}}']],
        },
        threads('actors'),
        { title: 'CPU by process', unit: 'percentunit', lines: [[rate('process_cpu_seconds_total'), '{{instance}}']] },
        { title: 'Memory that history waits in', unit: 'bytes', lines: [['actor_tail_bytes', '{{instance}}']] },
        {
          title: 'Told to API nodes',
          unit: 'bytes',
          lines: [[sumBy('instance', rate('actor_told_bytes_total')), '{{instance}}']],
        },
      ],
    },
    {
      title: 'Beside the bounds',
      panels: [
        {
          title: 'Journals',
          unit: 'bytes',
          lines: [
            ['max by (shard) (shard_bytes{of="journal"})', 'shard {{shard}}'],
            ['max(shard_limit_bytes{of="journal"})', 'bound'],
          ],
        },
        {
          title: 'Waiting commands',
          unit: 'bytes',
          lines: [
            ['max by (shard) (shard_bytes{of="mailboxes"})', 'shard {{shard}}'],
            ['max(shard_limit_bytes{of="mailboxes"})', 'bound'],
          ],
        },
        {
          title: 'Remembered answers',
          unit: 'bytes',
          lines: [
            ['max by (shard) (shard_bytes{of="answers"})', 'shard {{shard}}'],
            ['max(shard_limit_bytes{of="answers"})', 'bound'],
          ],
        },
      ],
    },
  ],
};
