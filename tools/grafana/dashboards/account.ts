// The way of one account’s orders from HTTP to MongoDB.
import type { Dashboard } from '../dashboard.ts';
import { latencies, ORDERS, QUESTIONS, rate, sumBy, threads } from '../panels.ts';

export const account: Dashboard = {
  uid: 'account',
  title: 'path of an account’s orders',
  about:
    'The way of an order from HTTP to MongoDB, for the shard of the account (bin/admin shards). One account has no figures of its own: its traces and its log lines bear its address.',
  hasTraces: true,
  choices: [{ name: 'shard', metric: 'shard_bytes' }],
  rows: [
    {
      title: '1. The API takes it',
      panels: [
        latencies('From request to answer', ORDERS),
        {
          title: 'Commands without an answer yet',
          unit: 'short',
          lines: [[sumBy('instance', 'api_commands_waiting'), '{{instance}}']],
        },
        threads('api'),
      ],
    },
    {
      title: '2. It waits in the mailbox, and its owner decides',
      panels: [
        {
          title: 'Owner of the shard',
          unit: 'none',
          lines: [['count by (instance) (shard_bytes{shard="$shard", of="journal"})', '{{instance}}']],
        },
        {
          title: 'Waiting commands of the shard',
          unit: 'bytes',
          lines: [['max(shard_bytes{shard="$shard", of="mailboxes"})', 'waiting']],
        },
        { title: 'Parked commands of the shard', unit: 'short', lines: [['max(shard_dead_letters{shard="$shard"})', 'parked']] },
      ],
    },
    {
      title: '3. The journal has it, then MongoDB',
      panels: [
        {
          title: 'Journal of the shard',
          unit: 'bytes',
          lines: [
            ['max(shard_bytes{shard="$shard", of="journal"})', 'journal'],
            ['max(shard_limit_bytes{of="journal"})', 'bound'],
          ],
        },
        { title: 'Lag of history', unit: 's', lines: [['actor_history_lag_seconds', '{{instance}}']] },
        {
          title: 'Refused, for the journal is full',
          unit: 'ops',
          lines: [[sumBy('bound', rate('actor_journal_full_total')), '{{bound}}']],
        },
      ],
    },
    {
      title: '4. Questions show it',
      panels: [
        latencies('From question to answer', QUESTIONS),
        {
          title: 'Questions answered by the node itself',
          unit: 'ops',
          lines: [
            [`sum(${rate('api_account_view_hits_total')})`, 'from a view'],
            [sumBy('reason', rate('api_account_view_misses_total')), 'by the owner: {{reason}}'],
          ],
        },
        {
          title: 'Entries that views follow',
          unit: 'ops',
          lines: [[`sum(${rate('api_account_view_entries_total')})`, 'entries']],
        },
      ],
    },
    {
      title: '5. Its traces, where they are on',
      panels: [
        {
          title: 'Traces of the account',
          about: 'Those of a hundred requests, by default (OTEL_TRACES_SAMPLER_ARG). Points in the graphs above are traces, too.',
          unit: 'none',
          lines: [],
          traces: { as: 'list', query: '{ span.account.id = "$address" }' },
        },
        { title: 'The trace', unit: 'none', lines: [], traces: { as: 'trace', query: '$trace' } },
        {
          title: 'Spans',
          about: 'Those that the collector took, and those that were forgotten: too many waited, or it did not take them.',
          unit: 'ops',
          lines: [
            [`sum(${rate('trace_spans_sent_total')})`, 'taken'],
            [sumBy('reason', rate('trace_spans_dropped_total')), 'forgotten: {{reason}}'],
          ],
        },
      ],
    },
  ],
};
