// How long the alert of a quiet user is under way, from when it is written to its webhook: alone, beside a user whose receivers hang and who
// makes each endpoint anew as soon as it is tried, and beside sixty users whose two receivers have answered and then hang all at once: more than
// a process has places for. Prints it with the connections that these hold. `node --import tsx bench/alerts.ts [--seconds 12]`
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TestAccount } from '../test/support/stack.ts';
import { WebhookReceiver } from '../test/support/webhookReceiver.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { quantile, round } from './support/load.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '12' } } });
const SECONDS = Number(values.seconds);
/** As many as the plan basic has. */
const ENDPOINTS = 3;
const MANY_USERS = 60;
/** A user has turns of so many webhooks at once. */
const OF_EACH = 2;
/** Between two alerts of the quiet user. */
const PAUSE_MS = 300;
/** Tries that hang are over by then, ms. */
const REST_MS = 12_000;

const stack = await startExchange({
  jobs: 1,
  env: { LOG_LEVEL: 'warn', WEBHOOK_NETWORKS: '127.0.0.0/8', PLAN_BASIC_REQUESTS_PER_MINUTE: '200' },
});
const [quick, hanging] = await Promise.all([WebhookReceiver.start(), WebhookReceiver.start()]);
/** Connections that the hanging receiver has open. */
const held = { now: 0, most: 0 };
let isHanging = true;
hanging.answer = (response) => {
  if (!isHanging) {
    response.writeHead(204).end();
    return;
  }
  held.now += 1;
  held.most = Math.max(held.most, held.now);
  response.once('close', () => {
    held.now -= 1;
  });
};
try {
  const [quiet, rude, ...many] = (await registerAccounts(stack, MANY_USERS + 2)) as [TestAccount, TestAccount, ...TestAccount[]];
  const own = await make(quiet, quick.url());
  await measured(() => undefined, { seconds: 2, endpoint: own, of: quiet });
  const measure = (meanwhile: (isOver: () => boolean) => unknown) =>
    measured(meanwhile, { seconds: SECONDS, endpoint: own, of: quiet });
  const alone = await measure(() => undefined);
  const besideAnew = await measure((isOver) =>
    Promise.all(Array.from({ length: ENDPOINTS }, (_, number) => makeAnew(rude, number, isOver))),
  );
  await pause(REST_MS);
  const made: { readonly user: TestAccount; readonly endpoint: string | undefined }[] = [];
  for (const user of many)
    for (let n = 0; n < OF_EACH; n++) made.push({ user, endpoint: await make(user, hanging.url(`/${user.userId}/${n}`)) });
  const testAll = () => Promise.all(made.map(({ user, endpoint }) => test(user, endpoint ?? '')));
  isHanging = false;
  const answered = hanging.messages.length + made.length;
  await testAll();
  while (hanging.messages.length < answered) await pause(50);
  // The turns are over, too.
  await pause(2000);
  isHanging = true;
  await testAll();
  const besideMany = await measure(() => undefined);
  console.log(JSON.stringify({ alerts: { seconds: SECONDS, alone, besideAnew, besideMany } }));
} finally {
  await stack.stop();
  await Promise.all([quick.stop(), hanging.stop()]);
}

/** @returns the id of the endpoint; undefined = it was refused */
async function make({ token }: TestAccount, url: string): Promise<string | undefined> {
  const { body } = await stack.call('POST', '/v1/alerts/endpoints', { token, body: { url, kinds: ['liquidation'] } });
  return body.endpoint?.id;
}

function test({ token }: TestAccount, endpoint: string) {
  return stack.call('POST', `/v1/alerts/endpoints/${endpoint}/test`, { token, body: {} });
}

async function tryOne(user: TestAccount, url: string): Promise<string | undefined> {
  const endpoint = await make(user, url);
  if (endpoint !== undefined) await test(user, endpoint);
  return endpoint;
}

/**
 * The bench removes an endpoint when its receiver has been called, and makes the next in its place. It tries refused requests
 * again.
 */
async function makeAnew(user: TestAccount, number: number, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const path = `/anew/${number}/${n}`;
    const endpoint = await tryOne(user, hanging.url(path));
    while (endpoint !== undefined && !isOver() && !hanging.messages.some((one) => one.path === path)) await pause(20);
    if (endpoint === undefined) await pause(100);
    else await stack.call('DELETE', `/v1/alerts/endpoints/${endpoint}`, { token: user.token });
  }
}

/** @param meanwhile ends when `isOver` says so, or before */
async function measured(
  meanwhile: (isOver: () => boolean) => unknown,
  { seconds, endpoint, of }: { readonly seconds: number; readonly endpoint: string | undefined; readonly of: TestAccount },
) {
  if (endpoint === undefined) throw new Error('the quiet user has no endpoint');
  let isOver = false;
  held.most = held.now;
  const calledBefore = hanging.messages.length;
  const other = Promise.resolve(meanwhile(() => isOver));
  const ms: number[] = [];
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    ms.push(await oneAlert(of, endpoint));
    await pause(PAUSE_MS);
  }
  isOver = true;
  await other;
  const sorted = Float64Array.from(ms).sort();
  return {
    alerts: sorted.length,
    ...{ p50Ms: round(quantile(sorted, 0.5), 0), longestMs: round(sorted.at(-1) ?? 0, 0) },
    ...{ heldAtMost: held.most, hangingCalled: hanging.messages.length - calledBefore },
  };
}

/** @returns milliseconds until the webhook has it */
async function oneAlert(of: TestAccount, endpoint: string): Promise<number> {
  const already = quick.messages.length;
  const { status, body } = await test(of, endpoint);
  if (status !== 200) throw new Error(JSON.stringify(body));
  const beganMs = performance.now();
  for (;;) {
    if (quick.messages.slice(already).some(({ headers }) => headers['webhook-id'] === body.message_id)) break;
    await pause(5);
  }
  return performance.now() - beganMs;
}
