// The path of the WebSocket, behind the same door as all others.
import type Router from '@koa/router';
import { graceMsOf } from '../../shared/subscription.ts';
import type { Services } from '../call.ts';
import { requirePaid } from '../requirePaid.ts';
import { requireKey, type Visit } from '../visit.ts';
import type { StreamServer } from './streamServer.ts';

export function mountStreams(router: Router<{ visit: Visit }>, streams: StreamServer, { config }: Services): void {
  const graceMs = graceMsOf(config);
  router.get('/v1/exchanges/:exchange/ws', (ctx) => {
    const key = requireKey(ctx);
    requirePaid({ ...key, graceMs }, ctx.state.visit.receivedAtMs);
    streams.accept(ctx.req, key);
    ctx.status = 101;
    ctx.respond = false;
  });
}
