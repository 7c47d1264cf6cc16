// The whole exchange for client and fault tests: real stores, a quiet market, and every role as a process of its own on
// free ports, each of which a test can kill, suspend and start again.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { requireContract } from './contract.ts';
import { startEmulator, type TestMarket } from './market.ts';
import { freePort } from './ports.ts';
import { type RoleName, RoleProcess } from './roleProcess.ts';
import { requireNoSecrets } from './secrets.ts';
import { openRedis, type Store, startMongo, startRedis } from './stores.ts';
import { until } from './until.ts';

const LEAVE = fileURLToPath(new URL('../../dist/leave.js', import.meta.url));

/** The configuration of tests: no limit that they do not test, cheap passwords, few log lines. */
const TEST_ENV = {
  LOG_LEVEL: 'info',
  ARGON2_MEMORY_KIB: '256',
  ARGON2_PASSES: '1',
  PLAN_BASIC_REQUESTS_PER_MINUTE: '100000000',
  PLAN_PRO_REQUESTS_PER_MINUTE: '100000000',
  ANONYMOUS_REQUESTS_PER_MINUTE: '100000000',
  AUTH_REGISTER_PER_MINUTE: '100000000',
  AUTH_LOGIN_PER_MINUTE: '100000000',
  AUTH_ADDRESS_LOGINS_PER_MINUTE: '100000000',
  MARKET_WEIGHT_PER_MINUTE: '1000000',
  MONGO_DATABASE: 'paper',
  // Beyond any pause of a busy machine: a command that waits is begun.
  COMMAND_DEADLINE_MS: '60000',
};

export interface StackOptions {
  /** API processes (default 1), actor pods (1), market processes (1), jobs processes (0). */
  readonly apis?: number;
  readonly pods?: number;
  readonly markets?: number;
  readonly jobs?: number;
  /** Seed of the emulated market (1); `quiet` (default) lets only the test move it. */
  readonly seed?: number;
  readonly quiet?: boolean;
  /** Redis's appendfsync (everysec). */
  readonly durability?: 'everysec' | 'always';
  /** MongoDB keeps nothing on disk (default): faster, but restartMongo() forgets. */
  readonly mongoInMemory?: boolean;
  /** Configuration of all roles. */
  readonly env?: Readonly<Record<string, string>>;
  /** The API may be an older build, whose answers today's contract does not describe. */
  readonly hasOlderApi?: boolean;
  /** Words after `node` that run a role in place of dist/main.js, e.g. a test's own composition. */
  readonly entries?: Partial<Record<RoleName, readonly string[]>>;
  /** Puts something between the roles and Redis: gets the real address, gives the one the roles use. */
  readonly redisThrough?: (url: string, store: Store) => Promise<string>;
  /** The same for MongoDB. */
  readonly mongoThrough?: (url: string) => Promise<string>;
  /** The test's own connection, where `redisThrough` gives the roles a Redis that is none of the stack's. */
  readonly ownRedis?: () => Redis;
}

/** An account made through the public API. */
export interface TestAccount {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly userId: string;
  readonly address: string;
  readonly apiKey: string;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the endpoint sends; the test says what it should be
  readonly body: any;
  readonly headers: Headers;
}

export class Stack {
  readonly options: StackOptions;
  readonly market: TestMarket;
  /** The stores as they are now; replaced by restartRedis and restartMongo. */
  redisStore: Store;
  mongoStore: Store;
  /** The test's own connections, past any `redisThrough`. */
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  /** By name: `api-0`, `actors-0`, `market-0`, `jobs-0`, … */
  readonly processes = new Map<string, RoleProcess>();
  /** One per API process. */
  readonly baseUrls: string[] = [];
  /** Where each API process shows operators its health and metrics. */
  readonly #metricsUrls: string[] = [];
  readonly #env: Record<string, string>;
  readonly #logDir = mkdtempSync(join(tmpdir(), 'paper-stack-'));

  constructor(
    options: StackOptions,
    parts: { market: TestMarket; redisStore: Store; mongoStore: Store; env: Record<string, string> },
  ) {
    this.options = options;
    this.market = parts.market;
    this.redisStore = parts.redisStore;
    this.mongoStore = parts.mongoStore;
    this.#env = parts.env;
    this.redis = options.ownRedis?.() ?? openRedis(parts.redisStore.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
    this.mongo = connectMongo({ url: parts.mongoStore.url, database: TEST_ENV.MONGO_DATABASE, timeoutMs: 5000 });
  }

  /** The way that the roles take to Redis. */
  get redisUrl(): string {
    return this.#env['REDIS_URL'] as string;
  }

  get baseUrl(): string {
    const [first] = this.baseUrls;
    if (first === undefined) throw new Error('the stack has no API');
    return first;
  }

  /** One more process of a role; answers its name. */
  async add(role: RoleName, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const count = [...this.processes.keys()].filter((name) => name.startsWith(`${role}-`)).length;
    const [port, metricsPort] = role === 'api' ? await Promise.all([freePort(), freePort()]) : [0, 0];
    if (role === 'api') this.baseUrls.push(`http://127.0.0.1:${port}`);
    if (role === 'api') this.#metricsUrls.push(`http://127.0.0.1:${metricsPort}`);
    const shown = role === 'api' ? { PUBLIC_URL: `http://127.0.0.1:${port}` } : {};
    const entry = this.options.entries?.[role];
    const started = new RoleProcess(`${role}-${count}`, {
      role,
      logDir: this.#logDir,
      env: { ...shown, ...this.#env, ...env, PORT: String(port), METRICS_PORT: String(metricsPort) },
      ...(entry === undefined ? {} : { entry }),
    });
    this.processes.set(started.name, started);
    started.start();
    return started.name;
  }

  process(name: string): RoleProcess {
    const found = this.processes.get(name);
    if (!found) throw new Error(`no process ${name}; there are ${[...this.processes.keys()].join(', ')}`);
    return found;
  }

  /** SIGKILL unless another signal is given; SIGSTOP and SIGCONT suspend and wake. */
  async kill(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.process(name).signal(signal);
  }

  /** Starts a process that has ended under its old name and port; ends it first if it still runs. */
  async restart(name: string): Promise<void> {
    await this.process(name).end();
    this.process(name).start();
  }

  /** Starts Redis again on what a kill has left on disk. */
  async restartRedis(): Promise<void> {
    const { dir, port } = this.redisStore;
    this.redisStore = await startRedis({ dir, port, appendfsync: this.options.durability ?? 'everysec' });
  }

  async restartMongo(): Promise<void> {
    const { dir, port } = this.mongoStore;
    this.mongoStore = await startMongo({ dir, port, memory: this.options.mongoInMemory ?? true });
  }

  /** Resolves when every running API says that orders can be taken. @throws Error with the last answers and log lines */
  async waitHealthy(): Promise<void> {
    let last = '';
    const apis = [...this.processes.values()].filter(({ name }) => name.startsWith('api-'));
    try {
      for (const [index, url] of this.baseUrls.entries()) {
        if (apis[index]?.isRunning === false) continue;
        await until(async () => {
          const answer = await fetch(`${url}/health`).catch((error: Error) => error);
          last = answer instanceof Error ? answer.message : await answer.text();
          return !(answer instanceof Error) && answer.status === 200;
        });
      }
    } catch (error) {
      throw new Error(`never healthy; last answer: ${last}\n${this.lastLines()}`, { cause: error });
    }
  }

  /** The health that operators see at the first API; a build before METRICS_PORT shows it to everyone. */
  async health(): Promise<{ readonly code: number; readonly status: string; readonly reasons: readonly string[] }> {
    const [url] = this.#metricsUrls;
    const answer = await fetch(`${url}/health`).catch(() => fetch(`${this.baseUrl}/health`));
    return { code: answer.status, ...((await answer.json()) as { status: string; reasons: string[] }) };
  }

  /** The metrics of a process of any role at METRICS_PORT, as text. */
  async metrics(name: string): Promise<string> {
    return (await fetch(`${this.#metricsUrl(name)}/metrics`)).text();
  }

  /** True when a process of any role says that it has taken up its work; of builds before `/ready`, that its role has started. */
  async isReady(name: string): Promise<boolean> {
    const url = this.#metricsUrl(name);
    if (url === undefined) return this.process(name).lifeLog().includes('"role started"');
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    return answer?.status === 200 || answer?.status === 404;
  }

  /** Runs the command of preStop as in the container of the process. @param pid another id than its own @returns its status */
  async leave(name: string, seconds: number, pid = this.process(name).pid): Promise<number | null> {
    const { port } = new URL(this.#metricsUrl(name) ?? '');
    const env = { ...process.env, METRICS_PORT: port };
    const child = spawn(process.execPath, [LEAVE, String(seconds), String(pid)], { env, stdio: 'ignore' });
    return new Promise((resolve) => child.once('exit', resolve));
  }

  /** As this life of the process has logged it; undefined before it has, and for builds that do not. */
  #metricsUrl(name: string): string | undefined {
    const lines = this.process(name).lifeLog().split('\n');
    const shown = lines.find((line) => line.includes('metrics and health are shown'));
    return shown === undefined ? undefined : `http://127.0.0.1:${(JSON.parse(shown) as { port: number }).port}`;
  }

  /** The last log lines of every process. */
  lastLines(): string {
    return [...this.processes.values()].map((one) => `--- ${one.name}\n${one.lastLines()}`).join('\n');
  }

  /** An account with one API key, through the public API. */
  async register(baseUrl = this.baseUrl): Promise<TestAccount> {
    const password = 'correct horse battery';
    let email = '';
    const user = await this.#must('POST', `${baseUrl}/v1/auth/register`, () => {
      email = `user-${crypto.randomUUID()}@example.com`;
      return { body: { email, password } };
    });
    const token: string = user.access_token;
    const key = await this.#must('POST', `${baseUrl}/v1/auth/api-keys`, () => ({ token, body: { name: 'test' } }));
    const me = await this.#must('GET', `${baseUrl}/v1/auth/me`, () => ({ token }));
    return { email, password, token, userId: me.id, address: me.address, apiKey: key.api_key };
  }

  info(apiKey: string, body: object, baseUrl = this.baseUrl): Promise<Answer> {
    return this.#request('POST', `${baseUrl}/v1/exchanges/perpx/info`, { key: apiKey, body });
  }

  /** Any other endpoint: `path` with its query. */
  call(method: string, path: string, options: RequestOptions & { baseUrl?: string } = {}): Promise<Answer> {
    const { baseUrl = this.baseUrl, ...request } = options;
    return this.#request(method, `${baseUrl}${path}`, request);
  }

  /** @param options.envelope fields beside the action */
  exchange(
    apiKey: string,
    action: object,
    options: { baseUrl?: string; idempotencyKey?: string; envelope?: object } = {},
  ): Promise<Answer> {
    const { baseUrl = this.baseUrl, idempotencyKey, envelope } = options;
    return this.#request('POST', `${baseUrl}/v1/exchanges/perpx/exchange`, {
      key: apiKey,
      body: { action, nonce: Date.now(), ...envelope },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  }

  /** The answer of `info`, asked for until it comes: nobody may own the account at the moment, or a store may be away. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Answer
  async ask(apiKey: string, body: object): Promise<any> {
    return (await told(() => this.info(apiKey, body))).body;
  }

  /** Acts once, and asks under an Idempotency-Key until an answer has the outcome. */
  act(apiKey: string, action: object, idempotencyKey: string = crypto.randomUUID()): Promise<Answer> {
    return told(() => this.exchange(apiKey, action, { idempotencyKey }));
  }

  /**
   * The mark of a coin as the owner of the account has it. After an action the next answer comes from the owner, which fills and
   * fires orders, and not from a view of the API node.
   */
  async markAtOwner(apiKey: string, coin: string): Promise<string> {
    await this.exchange(apiKey, { type: 'cancel', cancels: [{ a: 0, o: 1 }] });
    return (await this.info(apiKey, { type: 'activeAssetData', coin })).body.markPx;
  }

  /** Ends everything, stores last. */
  async stop(): Promise<void> {
    await Promise.all([...this.processes.values()].map((one) => one.end()));
    this.redis.disconnect();
    await this.mongo.close();
    await this.market.stop();
    await Promise.all([this.redisStore.kill(), this.mongoStore.stop()]);
    const logs = [...this.processes.values()].map(({ name, logFile }) => ({ name, text: readFileSync(logFile, 'utf8') }));
    rmSync(this.#logDir, { recursive: true, force: true });
    for (const { name, text } of logs) requireNoSecrets(text, `the log of ${name}`);
  }

  #request(method: string, url: string, options: RequestOptions): Promise<Answer> {
    return request(method, url, { ...options, holdsContract: this.options.hasOlderApi !== true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in Answer
  async #must(method: string, url: string, options: () => RequestOptions): Promise<any> {
    const { status, body } = await told(() => this.#request(method, url, options()));
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}

/** Resolves when orders can be taken. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const {
    apis = 1,
    pods = 1,
    markets = 1,
    jobs = 0,
    durability = 'everysec',
    mongoInMemory = true,
    seed = 1,
    quiet = true,
  } = options;
  const [redisStore, mongoStore, market] = await Promise.all([
    startRedis({ appendfsync: durability }),
    startMongo({ memory: mongoInMemory }),
    startEmulator({ seed, quiet }),
  ]);
  const redisUrl = (await options.redisThrough?.(redisStore.url, redisStore)) ?? redisStore.url;
  const mongoUrl = (await options.mongoThrough?.(mongoStore.url)) ?? mongoStore.url;
  const env = {
    ...TEST_ENV,
    ...{ REDIS_URL: redisUrl, MONGO_URL: mongoUrl, REDIS_DURABILITY: durability },
    ...{ MARKET_SOURCE: 'emulated', MARKET_URL: market.url },
    ...options.env,
  };
  const stack = new Stack(options, { market, redisStore, mongoStore, env });
  try {
    const counts: [RoleName, number][] = [
      ['market', markets],
      ['actors', pods],
      ['jobs', jobs],
      ['api', apis],
    ];
    for (const [role, count] of counts) for (let one = 0; one < count; one++) await stack.add(role);
    await stack.waitHealthy();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** The first answer that says what is: others come while a store is away, or a process that is asked starts again. */
export async function told(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    let answer: Answer | undefined;
    await until(async () => {
      answer = await ask().catch(() => undefined);
      return answer !== undefined && answer.status !== 503 && answer.status !== 504;
    });
    if (answer !== undefined) return answer;
  }
}

interface RequestOptions {
  readonly key?: string;
  readonly token?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly holdsContract?: boolean;
}

async function request(method: string, url: string, options: RequestOptions): Promise<Answer> {
  const { key, token, body, idempotencyKey, holdsContract = true } = options;
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const path = new URL(url).pathname;
  if (holdsContract)
    requireContract({ method, path, requestBody: body, status: response.status, headers: response.headers, text });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? true;
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}
