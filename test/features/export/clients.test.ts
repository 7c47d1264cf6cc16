// Many clients at once, and a client that does not read: the node cuts it off and takes its room back.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import type { HistoryRows } from '../../../src/actors/core/messages/historyRows.ts';
import { HeldBytes } from '../../../src/api/access/limits/heldBytes.ts';
import { ReadingTurns } from '../../../src/api/access/limits/readingTurns.ts';
import { exportEndpoint } from '../../../src/features/export/endpoints.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { until } from '../../support/until.ts';

/** Some 40 MB of text: more than the buffers between two sockets. */
const ROWS = 300_000;
const PATH = '/v1/exchanges/perpx/account/export';

/** Exports at once on a node (exportEndpoint.ts). */
const EXPORTS_MAX = 32;

describe('export to clients that wait or do not read', () => {
  const exchange = new ExchangeInMemory();
  const held = new HeldBytes(exchange.config);
  const row: HistoryRows['equity'] = {
    ...{ timeMs: exchange.nowMs, accountValue: '10000.123456', balance: '10000', netDepositsUsd: '10000', openPositions: 0 },
  };
  /** Requests that have come, and what lets those go on that wait for their first row. */
  let arrived = 0;
  let letGo: Promise<void> | undefined;
  /** The number of questions for rows. */
  let pages = 0;
  let url = '';
  /** The node's end of the newest connection. */
  let newest: Socket | undefined;
  let close = (): unknown => undefined;

  before(async () => {
    const page: ExchangeInMemory['services']['history']['page'] = async (_past, kind, { before = ROWS, limit }) => {
      pages += 1;
      await letGo;
      const count = Math.min(limit, before);
      const rows = Array.from({ length: count }, (_, i) => ({ kind, number: before - 1 - i, row })) as never;
      return { rows, next: before - count || null, total: ROWS, first: 0 };
    };
    const services = { ...exchange.services, history: { ...exchange.services.history, page } };
    const app = new Koa();
    // It would print the connection that is cut off.
    app.silent = true;
    const router = new Router();
    router.use(async (ctx, next) => {
      const userId = ctx.get('x-user') || 'user_1';
      ctx.state['request'] = { ...exchange.call, key: { caller: { ...exchange.call.caller, userId } } };
      arrived += 1;
      await next().catch((error: unknown) => {
        if (!(error instanceof RequestError)) throw error;
        ctx.set({ ...error.headers });
        Object.assign(ctx, { status: error.status, body: { code: error.code } });
      });
    });
    const histories = new ReadingTurns({ atOnce: 1, atOnceOfUser: 1, waiting: EXPORTS_MAX, waitingOfUser: 1 });
    const parts = { services, held, mongo: undefined as never, readingMsMax: 200, reads: { histories } };
    router.get(exportEndpoint.path, exportEndpoint.handle(parts) as never);
    const server = app.use(router.routes()).listen(0, '127.0.0.1');
    server.on('connection', (socket) => {
      newest = socket;
    });
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}${PATH}?kind=equity`;
    close = () => server.close();
  });
  after(() => close());

  it('is cut off when it has taken nothing for the time that it has; a node reads no further than it takes', async () => {
    const { port, host, pathname, search } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(socket, 'readable');
    await until(() => newest?.destroyed === true && held.total === 0);
    expect(pages).to.be.within(2, (ROWS / 512) * 0.9);
    // Bytes in the buffers still come, and no end of the answer.
    let text = '';
    for await (const piece of socket) text = `${text}${piece}`.slice(-200);
    expect(text)
      .to.not.include('"end"')
      .and.not.match(/\r\n0\r\n\r\n$/);
    // The user's place is free again.
    const next = await fetch(`${url}&from=${ROWS}`);
    expect(next.status).to.equal(200);
    expect(JSON.parse((await next.text()).trimEnd().split('\n').at(-1) as string).end).to.include({ complete: true, rows: 0 });
  });

  it('a client that goes in the middle: nothing more is read for it, and its place is free', async () => {
    const { port, host, pathname, search } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(socket, 'readable');
    socket.destroy();
    const answer = (): Promise<Response> => fetch(`${url}&from=${ROWS}`);
    await until(async () => (await (await answer()).text()).includes('"complete":true'));
    const read = pages;
    await until(() => held.total === 0);
    // Each that has nothing to read asks once where its history ends.
    for (let i = 1; i <= 3; i++) {
      await (await answer()).text();
      expect(pages).to.equal(read + i);
    }
  });

  it('who reads gets all', async () => {
    const answer = await fetch(`${url}&from=${ROWS - 20_000}`);
    let [lines, tail] = [0, ''];
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const text = Buffer.from(piece).toString();
      lines += text.split('\n').length - 1;
      tail = (tail + text).slice(-300);
    }
    expect(lines).to.equal(20_002);
    expect(JSON.parse(tail.trimEnd().split('\n').at(-1) as string).end).to.include({ complete: true, rows: 20_000 });
    expect(held.total).to.equal(0);
  });

  it('a node has 32 of many users: one more is refused, until one has ended', async () => {
    const read = (user: number) => fetch(`${url}&from=${ROWS}`, { headers: { 'x-user': `user_${user}` } });
    let go = (): void => undefined;
    letGo = new Promise((resolve) => {
      go = resolve;
    });
    arrived = 0;
    const under = Array.from({ length: EXPORTS_MAX }, (_, i) => read(i));
    await until(() => arrived === EXPORTS_MAX);
    const refused = await read(EXPORTS_MAX);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).to.deep.equal([
      503,
      '30',
      { code: 'busy' },
    ]);
    go();
    for (const answer of await Promise.all(under)) {
      expect(answer.status).to.equal(200);
      await answer.text();
    }
    const next = await read(EXPORTS_MAX);
    expect([next.status, (await next.text()).includes('"complete":true')]).to.deep.equal([200, true]);
  });
});
