// Whether users are served, and how fast.
import type { Dashboard } from '../dashboard.ts';
import { latencies, ORDERS, QUESTIONS, rate, sumBy, threads } from '../panels.ts';

export const service: Dashboard = {
  uid: 'service',
  title: 'service',
  about: 'Whether users are served, and how fast.',
  rows: [
    {
      title: 'Now',
      panels: [
        { title: 'Orders are taken', unit: 'none', as: 'figure', lines: [['max(service_taking_orders)', 'taken']] },
        {
          title: 'Shards without an owner',
          unit: 'none',
          as: 'figure',
          lines: [['max(service_shards_without_owner)', 'shards']],
        },
        { title: 'Accounts halted', unit: 'none', as: 'figure', lines: [['sum(actor_halted_accounts)', 'accounts']] },
      ],
    },
    {
      title: 'What is asked and answered',
      panels: [
        { title: 'Requests', unit: 'reqps', lines: [[sumBy('route', rate('api_request_duration_seconds_count')), '{{route}}']] },
        latencies('Orders, from request to answer', ORDERS),
        latencies('Questions, from request to answer', QUESTIONS),
        {
          title: 'Answers by status',
          unit: 'reqps',
          lines: [[sumBy('status', rate('api_request_duration_seconds_count')), '{{status}}']],
        },
        { title: 'Errors by code', unit: 'reqps', lines: [[sumBy('code', rate('api_errors_total')), '{{code}}']] },
        {
          title: 'Requests counted by a node alone',
          about: 'Redis does not count: a limit holds for each node.',
          unit: 'reqps',
          lines: [[sumBy('instance', rate('api_limiter_local_total')), '{{instance}}']],
        },
      ],
    },
    {
      title: 'What clients hold',
      panels: [
        { title: 'Connections', unit: 'short', lines: [[sumBy('state', 'api_connections'), '{{state}}']] },
        {
          title: 'Connections ended',
          unit: 'ops',
          lines: [[sumBy('reason', rate('api_connections_ended_total')), '{{reason}}']],
        },
        { title: 'WebSockets', unit: 'short', lines: [[sumBy('instance', 'api_sockets_open'), '{{instance}}']] },
        {
          title: 'Bytes held for clients',
          unit: 'bytes',
          lines: [
            ['sum(api_request_bytes)', 'bodies'],
            ['sum(api_unread_answer_bytes)', 'unread answers'],
            ['sum(api_socket_bytes)', 'sockets'],
            ['sum(api_account_view_bytes)', 'views'],
          ],
        },
        threads('api'),
        { title: 'Memory', unit: 'bytes', lines: [['process_resident_memory_bytes', '{{instance}}']] },
      ],
    },
  ],
};
