// The variables of what a plan allows its keys, and what those without a key may do.
import { whole } from './fields.ts';

export const planVariables = {
  PLAN_BASIC_REQUESTS_PER_MINUTE: whole('Requests a minute per API key, plan basic.', 200),
  PLAN_PRO_REQUESTS_PER_MINUTE: whole('Requests a minute per API key, plan pro.', 500),
  PLAN_BASIC_WEIGHT_PER_MINUTE: whole(
    'Weight a minute per API key, plan basic: what its requests may cost together. Unset: no less than 20 for each request.',
    4000,
  ),
  PLAN_PRO_WEIGHT_PER_MINUTE: whole(
    'Weight a minute per API key, plan pro: what its requests may cost together. Unset: no less than 20 for each request.',
    10_000,
  ),
  PLAN_BASIC_SOCKETS: whole('WebSocket connections of one API key, plan basic.', 10),
  PLAN_PRO_SOCKETS: whole('WebSocket connections of one API key, plan pro.', 20),
  PLAN_BASIC_SUBSCRIPTIONS: whole('Subscriptions of one WebSocket connection, plan basic.', 1000),
  PLAN_PRO_SUBSCRIPTIONS: whole('Subscriptions of one WebSocket connection, plan pro.', 2000),
  PLAN_BASIC_MESSAGES_PER_MINUTE: whole(
    'Messages a minute that one WebSocket connection may send before it is closed, plan basic.',
    2000,
  ),
  PLAN_PRO_MESSAGES_PER_MINUTE: whole(
    'Messages a minute that one WebSocket connection may send before it is closed, plan pro.',
    5000,
  ),
  STREAM_BUFFER_BYTES_PER_USER: whole(
    'What may wait, unsent or half received, at all WebSocket connections of one user to one process, bytes; past it the fullest is closed. All users: 16 times as much.',
    16_777_216,
    65_536,
  ),
  PLAN_BASIC_SOCKET_BYTES_PER_MINUTE: whole(
    'Bytes a minute that one WebSocket connection may send before it is closed, plan basic. Unset: no less than 4096 for each message.',
    8_192_000,
    65_536,
  ),
  PLAN_PRO_SOCKET_BYTES_PER_MINUTE: whole(
    'Bytes a minute that one WebSocket connection may send before it is closed, plan pro. Unset: no less than 4096 for each message.',
    20_480_000,
    65_536,
  ),
  STREAM_BUFFER_BYTES: whole(
    'What may wait unsent for a WebSocket client that reads slowly, bytes; past it the connection is closed.',
    4_194_304,
    65_536,
  ),
  ANONYMOUS_REQUESTS_PER_MINUTE: whole('Requests a minute per address that come with no key or token, or an unknown one.', 1000),
  ANONYMOUS_WEIGHT_PER_MINUTE: whole('Weight a minute of those requests. Unset: no less than 20 for each request.', 20_000),
};
