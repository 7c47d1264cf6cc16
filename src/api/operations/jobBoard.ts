// The queue of the jobs as a web page for operators: /admin/queues, only where ADMIN_PASSWORD is set. It shows and
// changes nothing. A browser sends the password by itself, so any other page that the operator visits could use a
// control that changes something.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import type { Middleware, Next } from 'koa';
import type { RoleParts } from '../../shared/deployment/role.ts';
import { RequestError } from '../../shared/errors.ts';
import type { RateLimit } from '../access/limits/rateLimit.ts';
import { networkOf, type RouteContext } from '../access/requestContext.ts';
import { mayNot } from '../contract/whoMay.ts';
import { nothingHere } from '../http/answers.ts';
import { pageHeaders } from '../http/pages.ts';
import { StaticFile } from '../http/staticFile.ts';

const PATH = '/admin/queues';
const USER = 'admin';
/** Wrong passwords a minute and address. */
const WRONG_TRIES_MAX = 10;
/** The page's code and styles are this server's; React sets styles from its code. */
const CONTENT = {
  script: "'self'",
  style: "'self' 'unsafe-inline'",
  img: "'self' data:",
  font: "'self'",
  connect: "'self'",
  base: "'self'",
};
/** Fonts of another host, which would see each visit. The page has others of its own. */
const FOREIGN_LINK = /<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>/gi;
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i;

export interface JobBoard {
  readonly middleware: (ctx: RouteContext, next: Next) => Promise<void>;
  stop(): Promise<void>;
}

/** The code of the queue and of its page is loaded only where there is a board. */
export async function openJobBoard({ config, subscriberFactory }: RoleParts, rateLimit: RateLimit): Promise<JobBoard> {
  const [{ createBullBoard }, { BullMQAdapter }, { KoaAdapter }, { openJobQueue }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/koa'),
    import('../../shared/redis/jobQueue.ts'),
  ]);
  const connection = subscriberFactory('board');
  const requireOperator = createOperatorCheck(digestOf(`${USER}:${config.ADMIN_PASSWORD}`), rateLimit);
  const queue = openJobQueue(connection);
  const server = new KoaAdapter().setBasePath(PATH);
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: true })],
    serverAdapter: server,
  });
  const board = server.registerPlugin() as Middleware;
  const files = pageFiles();
  return {
    async middleware(ctx, next) {
      if (ctx.path !== PATH && !ctx.path.startsWith(`${PATH}/`)) return next();
      await requireOperator(ctx);
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        throw new RequestError(405, 'method_not_allowed', 'The board only shows.', { Allow: 'HEAD, GET' });
      }
      ctx.set({ 'Cache-Control': 'no-store', ...pageHeaders(CONTENT) });
      const file = files.get(ctx.path.slice(PATH.length));
      if (file !== undefined) {
        await file.answer(ctx);
        ctx.routeMatched = true;
        return;
      }
      await board(ctx, async () => undefined);
      if (typeof ctx.body === 'string') ctx.body = ctx.body.replaceAll(FOREIGN_LINK, '');
      if (ctx.status === 404) throw nothingHere();
      ctx.routeMatched = true;
    },
    async stop() {
      await queue.close();
      connection.disconnect();
    },
  };
}

/** The page's own files by their path below the board's; each is read when it is first asked for. */
function pageFiles(): ReadonlyMap<string, StaticFile> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')), 'dist');
  const entries = readdirSync(join(folder, 'static'), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    paths.map((path) => {
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      const file = new StaticFile({ type, read: () => readFile(path), headers: { Vary: 'Authorization' } });
      return [`/${relative(folder, path).split(sep).join('/')}`, file];
    }),
  );
}

/**
 * Of an address one wrong password is counted before the next is compared: of a burst that comes at once no more are
 * compared than of one after the other.
 * @returns a check that throws a RequestError: 401 without the operators' password, 429 after too many wrong ones
 */
function createOperatorCheck(expected: Buffer, rateLimit: RateLimit): (ctx: RouteContext) => Promise<void> {
  const beingCounted = new Map<string, Promise<unknown>>();
  return async (ctx) => {
    const subject = `operator:${networkOf(ctx)}`;
    const given = BASIC.exec(ctx.req.headers.authorization ?? '')?.[1];
    if (given === undefined) throw passwordNeeded();
    while (beingCounted.has(subject)) await beingCounted.get(subject);
    if (rateLimit.isAtLimit(subject, WRONG_TRIES_MAX)) throw tooManyTries();
    if (timingSafeEqual(digestOf(Buffer.from(given, 'base64').toString()), expected)) return;
    const counted = Promise.resolve(rateLimit.admit(subject, WRONG_TRIES_MAX)).finally(() => beingCounted.delete(subject));
    beingCounted.set(subject, counted);
    throw (await counted).isGranted ? passwordNeeded() : tooManyTries();
  };
}

const tooManyTries = (): RequestError =>
  new RequestError(429, 'rate_limited', 'Too many wrong passwords. Try again in a minute.', { 'Retry-After': '60' });

const passwordNeeded = (): RequestError =>
  mayNot('invalid_credentials', 'The operators’ password is needed.', {
    'WWW-Authenticate': 'Basic realm="operators", charset="UTF-8"',
  });

/** Digests of equal length, for a comparison that always takes the same time. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
