// One API node without actors: the real request pipeline, credentials, limits and auth on real stores, before the
// endpoints over an account in memory. Several of them on the same stores are a deployment.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import type { SessionUsage } from '../../src/api/access/lastUses.ts';
import type { HeldBytes, UnreadAnswers } from '../../src/api/access/limits/heldBytes.ts';
import type { AccountGateway } from '../../src/api/accounts/accountGateway.ts';
import type { AccountHistory, Services } from '../../src/api/accounts/services.ts';
import type { Surroundings } from '../../src/api/apiParts.ts';
import type { Background, OutgoingMails } from '../../src/api/auth/parts/background.ts';
import type { Passwords } from '../../src/api/auth/parts/passwords.ts';
import type { Health } from '../../src/api/operations/health.ts';
import { composeApi } from '../../src/api/role.ts';
import { MarketStream } from '../../src/api/stream/channel/marketStream.ts';
import type { Billing } from '../../src/shared/billing/billing.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import type { RoleParts } from '../../src/shared/deployment/role.ts';
import { createLogger, serializers } from '../../src/shared/logger.ts';
import { connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { VenueBudget } from '../../src/shared/venue/venueBudget.ts';
import { FreshQuestions } from '../../src/shared/venue/venueQuestions.ts';
import { requireContract } from './contract.ts';
import { ExchangeInMemory } from './exchangeInMemory.ts';
import { roleParts } from './roleParts.ts';
import { requireNoSecrets } from './secrets.ts';
import type { Store } from './stores.ts';

/** Cheap hashes, so that tests are about everything else. */
const CHEAP = { ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };

/** Tests make many accounts from one address; tests of the limits set their own. */
const UNLIMITED = {
  AUTH_REGISTER_PER_MINUTE: '1000000',
  AUTH_LOGIN_PER_MINUTE: '1000000',
  AUTH_ACCOUNT_LOGINS_PER_HOUR: '1000000',
  AUTH_ADDRESS_LOGINS_PER_MINUTE: '1000000',
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  readonly body: any;
  readonly text: string;
}

export interface TestUser {
  readonly email: string;
  readonly token: string;
  readonly id: string;
}

export class ApiNode {
  readonly baseUrl: string;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
  readonly services: Services;
  /** Tells the sockets what was applied to `exchange.market`. */
  readonly stream: MarketStream;
  readonly passwords: Passwords;
  readonly background: Background;
  readonly mails: OutgoingMails;
  readonly sessionUsage: SessionUsage;
  /** Where mails go. */
  readonly mailDir: string;
  readonly billing: Billing;
  readonly exchange: ExchangeInMemory;
  /** The health that operators see. */
  readonly health: Health;
  readonly registry: Registry;
  /** The bytes that requests hold now. */
  readonly held: HeldBytes;
  readonly unread: UnreadAnswers;
  /** Every log line, at level trace. */
  readonly logLines: string[];
  readonly #stop: () => Promise<void>;

  private constructor(parts: Omit<ApiNode, 'request' | 'post' | 'register' | 'createKey' | 'stop'>, stop: () => Promise<void>) {
    this.baseUrl = parts.baseUrl;
    this.redis = parts.redis;
    this.mongo = parts.mongo;
    this.services = parts.services;
    this.stream = parts.stream;
    this.passwords = parts.passwords;
    this.background = parts.background;
    this.mails = parts.mails;
    this.sessionUsage = parts.sessionUsage;
    this.mailDir = parts.mailDir;
    this.billing = parts.billing;
    this.exchange = parts.exchange;
    this.health = parts.health;
    this.registry = parts.registry;
    this.held = parts.held;
    this.unread = parts.unread;
    this.logLines = parts.logLines;
    this.#stop = stop;
  }

  /** @param options.gateway, options.history in place of the account in memory */
  static async start(
    stores: { redis: Store; mongo: Store },
    options: {
      env?: Record<string, string>;
      gateway?: AccountGateway;
      history?: AccountHistory;
      now?: () => number;
      windowMs?: number;
    } = {},
  ): Promise<ApiNode> {
    const mailDir = mkdtempSync(join(tmpdir(), 'paper-mail-'));
    const fixed = {
      PORT: '0',
      NODE_ID: 'api-test',
      // A store that is slow on a busy machine is not away.
      MONGO_TIMEOUT_MS: '60000',
      MAIL_DIR: mailDir,
      REDIS_URL: stores.redis.url,
      ALLOW_TEST_PAYMENTS: 'yes',
      DASHBOARD: 'off',
    };
    const config = readConfig({ ...CHEAP, ...UNLIMITED, ...fixed, ...options.env });
    const logLines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logLines.push(String(chunk));
        done();
      },
    });
    const log = pino({ level: 'trace', serializers }, sink);
    const redis = connectRedis({ url: stores.redis.url, name: 'test', log: createLogger({ level: 'silent', role: 'test' }) });
    const mongo = connectMongo({ url: stores.mongo.url, database: 'test', timeoutMs: config.MONGO_TIMEOUT_MS });
    const { now, windowMs } = options;
    const parts = roleParts({ config, log, redis, mongo, ...(now && { now }) });
    const exchange = new ExchangeInMemory();
    const { nodeMarket, nodeAccounts } = surroundingsOf(exchange, parts, options);
    const node = await composeApi(
      parts,
      { nodeMarket, nodeAccounts },
      {
        servicesNow: exchange.services.now,
        // Tests that let days pass go on with the token that they have.
        tokensNow: Date.now,
        // Beyond any pause of a busy machine, after which a node counts alone.
        answerMs: 60_000,
        // Several nodes of a test have one name.
        socketsNodeId: randomUUID(),
        tlsLookMs: 100,
        ...(windowMs !== undefined && { windowMs }),
      },
    );
    const { access, auth, services, billing, health } = node;
    const server = await node.start();
    const baseUrl = `http://127.0.0.1:${server.port}`;
    return new ApiNode(
      {
        ...{ baseUrl, redis, mongo, services, billing, health, exchange, logLines, mailDir },
        ...{ stream: nodeMarket.stream, registry: parts.registry, held: access.held, unread: access.unread },
        ...{ passwords: auth.passwords, background: auth.background, mails: auth.mails, sessionUsage: access.sessionUsage },
      },
      async () => {
        await server.stop();
        rmSync(mailDir, { recursive: true });
        redis.disconnect();
        await mongo.close();
        requireNoSecrets(logLines.join(''), 'the log');
      },
    );
  }

  /** @throws Error when the answer does not tell the limit (every answer does, whatever it is) */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, { method, ...init });
    const text = await response.text();
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      if (!/^\d+$/.test(response.headers.get(name) ?? ''))
        throw new Error(`${method} ${path}: ${response.status} without ${name}`);
    }
    const requestBody = typeof init.body === 'string' ? parsed(init.body) : undefined;
    requireContract({ method, path, requestBody, status: response.status, headers: response.headers, text });
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : parsed(text) };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.request('POST', path, { body: text, headers: { 'content-type': 'application/json', ...headers } });
  }

  async register(email = `bot-${Math.random().toString(36).slice(2)}@example.com`): Promise<TestUser> {
    const { status, body, text } = await this.post('/v1/auth/register', { email, password: 'a good password' });
    if (status !== 200) throw new Error(`register: ${status} ${text}`);
    return { email, token: body.access_token, id: body.user_id };
  }

  async createKey({ token }: TestUser, name = 'bot'): Promise<{ id: string; apiKey: string }> {
    const { status, body, text } = await this.post('/v1/auth/api-keys', { name }, { authorization: `Bearer ${token}` });
    if (status !== 200) throw new Error(`api-keys: ${status} ${text}`);
    return { id: body.id, apiKey: body.api_key };
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a page or a script
  }
}

/** The account in memory, or what stands in place of it, and its market. */
function surroundingsOf(
  exchange: ExchangeInMemory,
  { config, log, redis, realNow }: RoleParts,
  given: { readonly gateway?: AccountGateway; readonly history?: AccountHistory },
): Surroundings {
  const { services, market, minutes } = exchange;
  const { gateway = services.gateway, history = services.history } = given;
  const budget = new VenueBudget({ redis, config, now: realNow });
  const done = async (): Promise<void> => undefined;
  return {
    nodeMarket: {
      ...{ market, upstream: services.upstream, candles: services.candles, stream: new MarketStream(minutes) },
      venue: new FreshQuestions({ log, url: config.MARKET_URL, budget, now: realNow }),
      follower: { position: undefined, start: done, stop: done },
    },
    nodeAccounts: {
      ...{ gateway, historyOf: () => history, history: { stored: async () => [] } },
      deep: { lookDeeper: done },
      ...{ waiting: () => 0, start: done, stop: done },
    },
  };
}
