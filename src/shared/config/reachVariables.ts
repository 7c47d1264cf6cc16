// The variables of who reaches the API, by how many connections, and with how many bytes.
import { Type } from '@sinclair/typebox';
import { whole } from './fields.ts';

export const reachVariables = {
  PROXY_HOPS: whole('Reverse proxies before the API whose X-Forwarded-For is believed; 0 = none.', 0, 0, 10),
  ADMIN_PASSWORD: Type.String({
    description:
      'Password of the user `admin` for /admin/queues, which shows the jobs, 16 characters or more; empty = the page is not there.',
    default: '',
  }),
  CORS_ORIGINS: Type.String({
    description:
      'Web pages that may use the API from a browser: their origins (`https://app.example.com`), separated by commas; `*` = all; empty = none.',
    default: '',
  }),
  DASHBOARD: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    description: 'Whether the API serves the dashboard, pages for a browser (/overview, …).',
    default: 'on',
  }),
  CONNECTIONS: whole(
    'Connections to one API process. One more is taken only by an address with few, in place of one of the address with most.',
    10_000,
    10,
  ),
  ADDRESS_CONNECTIONS: whole(
    'Connections of one network address to one API process, and twice as many new ones a minute. Behind proxies: those at work for one client.',
    4000,
  ),
  ADDRESS_HALF_OPEN: whole(
    'Those of them that have sent no whole request yet (not behind proxies); also bodies of one caller that are being received at once.',
    2000,
  ),
  BODY_LIMIT_BYTES: whole('Largest request body, and largest message of a socket, bytes.', 1_048_576),
  ANONYMOUS_BODY_LIMIT_BYTES: whole('Largest body of a request without a valid key or access token, bytes.', 16_384, 1024),
  REQUEST_BYTES_PER_CALLER: whole(
    'What bodies of one user (without a credential: of one address) may hold until they are answered, bytes; answers until they are read likewise.',
    33_554_432,
    65_536,
  ),
  VIEWS_MAX_BYTES: whole(
    'Views of accounts that one API process answers from, and what is kept beside them, bytes (operations.md says how to choose).',
    134_217_728,
    4_194_304,
  ),
  REQUEST_BYTES: whole(
    'What bodies of all may hold in one process, bytes: half for users, half for strangers; the fuller, the less each may hold. Unread answers: half of it.',
    268_435_456,
    131_072,
  ),
};
