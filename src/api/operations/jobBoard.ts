// The queue of the jobs as a web page for operators: /admin/queues, only where ADMIN_PASSWORD is set. It shows and
// changes nothing. A browser sends the password by itself, so any other page that the operator visits could use a
// control that changes something.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Middleware, Next } from 'koa';
import type { Config } from '../../shared/config.ts';
import { RequestError } from '../../shared/errors.ts';
import { openJobQueue } from '../../shared/jobQueue.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { RateLimit } from '../access/rateLimit.ts';
import type { RouteContext } from '../access/requestContext.ts';

const PATH = '/admin/queues';
const USER = 'admin';
/** Wrong passwords a minute and address. */
const WRONG_TRIES_MAX = 10;
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i;

export interface JobBoard {
  readonly middleware: (ctx: RouteContext, next: Next) => Promise<void>;
  stop(): Promise<void>;
}

/** @param parts.connection the board's own; it is closed with the board */
export function createJobBoard(parts: {
  readonly config: Pick<Config, 'ADMIN_PASSWORD'>;
  readonly connection: Redis;
  readonly rateLimit: RateLimit;
}): JobBoard {
  const { config, connection, rateLimit } = parts;
  const expected = digestOf(`${USER}:${config.ADMIN_PASSWORD}`);
  const queue = openJobQueue(connection);
  const server = new KoaAdapter().setBasePath(PATH);
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: true })],
    serverAdapter: server,
  });
  const board = server.registerPlugin() as Middleware;
  return {
    async middleware(ctx, next) {
      if (ctx.path !== PATH && !ctx.path.startsWith(`${PATH}/`)) return next();
      await requireOperator(ctx, expected, rateLimit);
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        throw new RequestError(405, 'method_not_allowed', 'The board only shows.', { Allow: 'HEAD, GET' });
      }
      ctx.set({ 'Cache-Control': 'no-store', 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff' });
      await board(ctx, async () => undefined);
      if (ctx.status === 404) throw new RequestError(404, 'not_found', 'There is nothing at this path.');
      ctx.routeMatched = true;
    },
    async stop() {
      await queue.close();
      connection.disconnect();
    },
  };
}

/** @throws {RequestError} 401 without the operators' password, 429 after too many wrong ones */
async function requireOperator(ctx: RouteContext, expected: Buffer, rateLimit: RateLimit): Promise<void> {
  const subject = `operator:${ctx.ip}`;
  const given = BASIC.exec(ctx.req.headers.authorization ?? '')?.[1];
  if (!rateLimit.isAtLimit(subject, WRONG_TRIES_MAX) && given !== undefined) {
    if (timingSafeEqual(digestOf(Buffer.from(given, 'base64').toString()), expected)) return;
  }
  if (given !== undefined && !(await rateLimit.admit(subject, WRONG_TRIES_MAX)).isGranted) {
    throw new RequestError(429, 'rate_limited', 'Too many wrong passwords. Try again in a minute.', { 'Retry-After': '60' });
  }
  throw new RequestError(401, 'invalid_credentials', 'The operators’ password is needed.', {
    'WWW-Authenticate': 'Basic realm="operators", charset="UTF-8"',
  });
}

/** Digests of equal length, for a comparison that always takes the same time. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
