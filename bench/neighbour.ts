// The worst callers, each inside its own limits, beside a quiet caller that asks every 100 ms. The node has the limits of a real
// deployment. Each caller runs in a process of its own, at the lowest priority and from an address of its own, so that what is
// measured is what the exchange does for it and not what it costs to be rude. Prints the quiet one's latencies alone and beside
// each of them, and its answers by status. `node --import tsx bench/neighbour.ts [--seconds 20] [--only NAME]`
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { shardKeys } from '../src/shared/redis/keys.ts';
import type { Stack, TestAccount } from '../test/support/stack.ts';
import { askQuietly } from './support/askQuietly.ts';
import { CALLERS, type CallerName, type CallerTask } from './support/callerTask.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { round } from './support/load.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' }, only: { type: 'string' } } });
const SECONDS = Number(values.seconds);
/**
 * The first request of a kind has costs of its own (schemas, caches). The figures leave out that request and a caller's first
 * second.
 */
const WARM_UP_SECONDS = 2;
/** 600 questions a minute: more than one key of the plan basic may ask. */
const QUIET_KEYS = 4;
const RUDE_KEYS = 5;
/** Parked commands of a shard: as many bytes as are kept. */
const [LETTERS, LETTER_BYTES] = [500, 8000];

/** Of the configuration; the stack of tests has none that could be reached. */
const REAL_LIMITS = {
  LOG_LEVEL: 'warn',
  PLAN_BASIC_REQUESTS_PER_MINUTE: '200',
  PLAN_PRO_REQUESTS_PER_MINUTE: '500',
  ANONYMOUS_REQUESTS_PER_MINUTE: '1000',
  AUTH_REGISTER_PER_MINUTE: '20',
  AUTH_LOGIN_PER_MINUTE: '10',
  AUTH_ADDRESS_LOGINS_PER_MINUTE: '100',
  ARGON2_MEMORY_KIB: '19456',
  ARGON2_PASSES: '2',
};

async function keysOf(stack: Stack, account: TestAccount, count: number): Promise<string[]> {
  const keys = [account.apiKey];
  while (keys.length < count) {
    const response = await fetch(`${stack.baseUrl}/v1/auth/api-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
      body: JSON.stringify({ name: `key ${keys.length}` }),
    });
    const { api_key: key } = (await response.json()) as { api_key?: string };
    if (key === undefined) throw new Error(`no key: ${response.status}`);
    keys.push(key);
  }
  return keys;
}

/** Gives an account the role, as `bin/admin grant-role` does, and letters to look at: as long as they may be. */
async function makeOperator({ mongo, redis }: Stack, { userId, address }: TestAccount): Promise<void> {
  await mongo.db.collection<{ _id: string }>('users').updateOne({ _id: userId }, { $set: { roles: ['operator'] } });
  const command = 'x'.repeat(LETTER_BYTES);
  for (let n = 0; n < LETTERS; n++)
    await redis.xadd(shardKeys.dead(0), '*', 'account', address, 'command', command, 'reason', 'bench', 't', String(Date.now()));
}

/** Lets a caller loose for the time of the measurement. @returns what it sent and how it was answered */
async function beside<T>(task: CallerTask, measure: () => Promise<T>): Promise<{ measured: T; answers: Record<string, number> }> {
  const caller = fork(fileURLToPath(new URL('./support/rudeCaller.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  caller.send(task);
  await once(caller, 'message');
  await pause(WARM_UP_SECONDS * 1000);
  const measured = await measure();
  caller.send('stop');
  const [answers] = (await once(caller, 'message')) as [Record<string, number>];
  caller.kill();
  return { measured, answers };
}

const stack = await startExchange({ env: REAL_LIMITS, jobs: 1 });
try {
  const names = CALLERS.filter((name) => values.only === undefined || values.only === name);
  const [quiet, ...rude] = (await registerAccounts(stack, names.length + 1)) as [TestAccount, ...TestAccount[]];
  const quietKeys = await keysOf(stack, quiet, QUIET_KEYS);
  await askQuietly(stack, quietKeys, WARM_UP_SECONDS);
  const alone = await askQuietly(stack, quietKeys, SECONDS);
  const rows: Partial<Record<CallerName, unknown>> = {};
  for (const [i, name] of names.entries()) {
    const account = rude[i] as TestAccount;
    const keys = await keysOf(stack, account, RUDE_KEYS);
    const task: CallerTask = {
      name,
      baseUrl: stack.baseUrl,
      keys,
      token: account.token,
      email: account.email,
      password: account.password,
      user: account.address,
      address: `127.0.0.${10 + i}`,
    };
    if (name === 'operator') await makeOperator(stack, account);
    const { measured, answers } = await beside(task, () => askQuietly(stack, quietKeys, SECONDS));
    rows[name] = { ...measured, p99Ratio: round(measured.p99Ms / alone.p99Ms, 1), itsAnswers: answers };
    // The next one begins beside an exchange that is at rest again.
    await pause(WARM_UP_SECONDS * 1000);
  }
  console.log(JSON.stringify({ neighbour: { seconds: SECONDS, alone, beside: rows } }));
} finally {
  await stack.stop();
}
