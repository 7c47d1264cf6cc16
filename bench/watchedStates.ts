// Accounts at rest whose states are watched: sockets on one API node, each on `clearinghouseState` of its own account with one
// position, while the mark moves every second. Measures the CPU of each process and how many states came; beside it the same
// sockets without a subscription. BENCH_SOCKETS says how many. `node --import tsx bench/watchedStates.ts`
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { wireOrder } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { CpuMeter } from './support/cpu.ts';
import { BENCH_COINS, pidsOf, registerAccounts, startExchange } from './support/exchange.ts';
import { round } from './support/load.ts';

const { BENCH_SOCKETS = '1000', BENCH_SECONDS = '10' } = process.env;
const SECONDS = Number(BENCH_SECONDS);
const MARK_EVERY_MS = 1000;
/** Until the accounts have their views and sockets their pace. */
const SETTLE_MS = 8000;
const AT_ONCE = 20;
const [BTC] = BENCH_COINS;

const stack = await startExchange();
let states = 0;
const sockets: { readonly socket: WebSocket; readonly account: TestAccount }[] = [];
try {
  const accounts = await registerAccounts(stack, Number(BENCH_SOCKETS));
  for (let i = 0; i < accounts.length; i += AT_ONCE) await Promise.all(accounts.slice(i, i + AT_ONCE).map(open));
  let mark = Number(BTC.mark);
  const marks = setInterval(() => {
    mark += mark > Number(BTC.mark) ? -7 : 5;
    void stack.market.control({ op: 'setPrice', coin: BTC.coin, px: String(mark) });
  }, MARK_EVERY_MS);
  const unwatched = await measured();
  for (const { socket, account } of sockets) {
    socket.send(JSON.stringify({ method: 'subscribe', subscription: { type: 'clearinghouseState', user: account.address } }));
  }
  const watched = await measured();
  clearInterval(marks);
  console.log(JSON.stringify({ watchedStates: { accounts: accounts.length, watched, unwatched } }));
} finally {
  for (const { socket } of sockets) socket.terminate();
  await stack.stop();
}

async function open(account: TestAccount): Promise<void> {
  const order = wireOrder(BTC.asset, { px: BTC.ask, sz: BTC.size, tif: 'Ioc' });
  await stack.exchange(account.apiKey, { type: 'order', orders: [order], grouping: 'na' });
  const url = `${stack.baseUrl.replace('http', 'ws')}/v1/exchanges/perpx/ws?apiKey=${account.apiKey}`;
  const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
  await once(socket, 'open');
  socket.on('message', (data: Buffer) => {
    if (data.toString('latin1', 0, 40).includes('clearinghouseState')) states += 1;
  });
  sockets.push({ socket, account });
}

/** CPU of each process in cores, and states a second. */
async function measured(): Promise<object> {
  await pause(SETTLE_MS);
  states = 0;
  const meter = new CpuMeter(pidsOf(stack));
  const startMs = performance.now();
  await pause(SECONDS * 1000);
  const seconds = (performance.now() - startMs) / 1000;
  const cores = Object.fromEntries(Object.entries(meter.per(seconds)).map(([name, micros]) => [name, round(micros / 1e6, 3)]));
  return { statesPerSecond: Math.round(states / seconds), cores };
}
