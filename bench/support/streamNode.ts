// The process that streams: an API node with its real sockets before a market in memory, or bare ws that sends the same texts.
// Told by IPC to push; answers what CPU it has used.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { MarketChange } from '../../src/market/domain/feed.ts';
import { ApiNode } from '../../test/support/apiNode.ts';
import { startMongo, startRedis } from '../../test/support/stores.ts';

/** What the parent says: push once, tell the CPU used, or end. */
export type Order = 'push' | 'cpu' | 'stop';
export type Report = { readonly url: string } | { readonly cpuMicros: number };

/** A push is one change of mids and one book, as the feed brings them. */
function changes(n: number): readonly [MarketChange, MarketChange] {
  const timeMs = Date.now();
  const side = (from: number, step: number) => Array.from({ length: 20 }, (_, i) => [String(from + i * step), '1.5', 3] as const);
  return [
    { type: 'mids', timeMs, mids: { BTC: String(60_000 + (n % 1000)) } },
    { type: 'book', coin: 'BTC', timeMs, bids: side(60_000 + (n % 100), -1), asks: side(60_101 + (n % 100), 1) },
  ];
}

const report = (what: Report): void => void process.send?.(what);
const started = process.argv[2] === 'bare' ? startBare() : startOurs();
const { push, stop } = await started;
let pushes = 0;
process.on('message', (order: Order) => {
  if (order === 'push') push(++pushes);
  else if (order === 'cpu') {
    const { user, system } = process.cpuUsage();
    report({ cpuMicros: user + system });
  } else void stop().then(() => process.exit(0));
});

interface Streaming {
  readonly push: (n: number) => void;
  readonly stop: () => Promise<void>;
}

async function startOurs(): Promise<Streaming> {
  const stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
  const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '1000000', PLAN_BASIC_SOCKETS: '1000000' };
  const node = await ApiNode.start(stores, { env });
  const { apiKey } = await node.createKey(await node.register());
  const { market } = node.exchange;
  report({ url: `${node.baseUrl.replace(/^http/, 'ws')}/v1/exchanges/perpx/key/${apiKey}/ws` });
  return {
    push: (n) => {
      const both = changes(n);
      for (const change of both) market.apply(change);
      node.stream.onChanges(both);
    },
    stop: async () => {
      await node.stop();
      await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
    },
  };
}

async function startBare(): Promise<Streaming> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const hearers = new Set<WebSocket>();
  sockets.on('connection', (socket) => {
    hearers.add(socket);
    socket.on('close', () => hearers.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  report({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
  // As large as the ones that ours sends.
  const mids = Object.fromEntries(Array.from({ length: Number(process.argv[3]) }, (_, i) => [`COIN${i}`, '123.45']));
  const toAll = (text: string): void => {
    for (const socket of hearers) socket.send(text);
  };
  return {
    push: (n) => {
      const [, book] = changes(n);
      if (book.type !== 'book') return;
      const level = ([px, sz, orders]: readonly [string, string, number]) => ({ px: `${px}.0`, sz, n: orders });
      const levels = [book.bids.map(level), book.asks.map(level)];
      toAll(JSON.stringify({ channel: 'allMids', data: { mids: { ...mids, BTC: `${n}.0` } } }));
      toAll(JSON.stringify({ channel: 'l2Book', data: { coin: 'BTC', time: book.timeMs, levels } }));
    },
    stop: async () => {
      for (const socket of hearers) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
