// Mounts the path of the WebSocket behind the same request pipeline as all others.

import { Type } from '@sinclair/typebox';
import { graceMsOf } from '../../shared/access/subscription.ts';
import { requirePaid, requireTrader } from '../access/callerChecks.ts';
import { addressOf } from '../access/requestContext.ts';
import type { Services } from '../accounts/services.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { endpoint } from '../http/endpoint.ts';
import type { StreamServer } from './streamServer.ts';

export const streamEndpoint = endpoint({
  id: 'openStream',
  method: 'get',
  path: '/v1/exchanges/:exchange/ws',
  tag: 'Trading',
  summary: 'The WebSocket.',
  description:
    'Speaks the venue’s protocol: `subscribe`, `unsubscribe`, `post`, `ping`; `/v1/asyncapi.json` has every message. The key ' +
    'may also be in the query, as `apiKey`. A page offers the protocols `perpx.v1` and `bearer.<access token>`.',
  credential: 'either',
  scope: 'read',
  asks: ['trader', 'paid'],
  price: CHEAP,
  query: Type.Object({
    apiKey: Type.Optional(Type.String({ description: 'An API key, for clients that send no header.' })),
  }),
  answer: { about: 'From here on the connection is a WebSocket.', status: 101 },
  errors: {
    400: ['invalid_handshake'],
    426: ['upgrade_required'],
    429: ['too_many_connections'],
    503: ['going_away'],
  },
  handle: ({
    streams,
    services: { config },
  }: {
    readonly streams: StreamServer;
    readonly services: Pick<Services, 'config'>;
  }) => {
    const graceMs = graceMsOf(config);
    return async (ctx) => {
      const trader = requireTrader(ctx);
      const { key, token, receivedAtMs } = ctx.state.request;
      requirePaid({ ...trader, graceMs }, receivedAtMs);
      await streams.accept(ctx.req, trader, addressOf(ctx), key === undefined ? token : undefined);
      ctx.status = 101;
      ctx.respond = false;
    };
  },
});
