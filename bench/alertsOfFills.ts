// How long after an order is answered the alert of its fill reaches a webhook, on a quiet exchange whose Redis syncs its file each second.
// Prints the median and the longest. `node --import tsx bench/alertsOfFills.ts [--fills 40]`
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TestAccount } from '../test/support/stack.ts';
import { WebhookReceiver } from '../test/support/webhookReceiver.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { quantile, round } from './support/load.ts';

const { values } = parseArgs({ options: { fills: { type: 'string', default: '40' } } });
/** Pauses after alerts, which leave with a look, grow by so much within the time of one, ms: so fills fall everywhere between two. */
const [STEP_MS, LOOK_MS] = [137, 500];

const stack = await startExchange({ jobs: 1, env: { LOG_LEVEL: 'warn', WEBHOOK_NETWORKS: '127.0.0.0/8' } });
const receiver = await WebhookReceiver.start();
try {
  await stack.redis.config('SET', 'appendfsync', 'everysec');
  const [user] = (await registerAccounts(stack, 1)) as [TestAccount];
  const body = { url: receiver.url(), kinds: ['fill'] };
  const made = await stack.call('POST', '/v1/alerts/endpoints', { token: user.token, body });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  await msOfFill(user); // the endpoint is brought up from the history
  const ms: number[] = [];
  for (let n = 0; n < Number(values.fills); n++) {
    ms.push(await msOfFill(user));
    await pause((n * STEP_MS) % LOOK_MS);
  }
  const sorted = Float64Array.from(ms).sort();
  const longestMs = round(sorted.at(-1) ?? 0, 0);
  console.log(JSON.stringify({ alertsOfFills: { fills: ms.length, p50Ms: round(quantile(sorted, 0.5), 0), longestMs } }));
} finally {
  await stack.stop();
  await receiver.stop();
}

async function msOfFill({ apiKey }: TestAccount): Promise<number> {
  const [{ asset, ask, size }] = BENCH_COINS;
  const order = { a: asset, b: true, p: ask, s: size, r: false, t: { limit: { tif: 'Ioc' } } };
  const { body } = await stack.exchange(apiKey, { type: 'order', orders: [order], grouping: 'na' });
  const beganMs = performance.now();
  const oid = body.response?.data?.statuses?.[0]?.filled?.oid;
  if (oid === undefined) throw new Error(JSON.stringify(body));
  while (!receiver.messages.some((message) => message.body.data.oid === oid)) await pause(5);
  return performance.now() - beganMs;
}
