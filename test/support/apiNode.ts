// One API node without actors: the real request pipeline, credentials, limits and auth on real stores, before the
// endpoints over an account in memory. Several of them on the same stores are a deployment.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { AccessTokens } from '../../src/api/access/accessTokens.ts';
import { Admission } from '../../src/api/access/admission.ts';
import { Credentials } from '../../src/api/access/credentials.ts';
import { KeyUsage, SessionUsage } from '../../src/api/access/lastUses.ts';
import { HeldBytes, UnreadAnswers } from '../../src/api/access/limits/heldBytes.ts';
import { hourWindow, RateLimit } from '../../src/api/access/limits/rateLimit.ts';
import { createSeldomLog } from '../../src/api/access/limits/seldomLog.ts';
import { limitHeaders, unusedLimit } from '../../src/api/access/requestContext.ts';
import { AccountAnswers } from '../../src/api/accounts/accountAnswers.ts';
import { AccountCommands } from '../../src/api/accounts/accountCommands.ts';
import type { AccountGateway } from '../../src/api/accounts/accountGateway.ts';
import { ExcursionStore } from '../../src/api/accounts/excursionStore.ts';
import { KnownAccounts } from '../../src/api/accounts/knownAccounts.ts';
import type { AccountHistory, Services } from '../../src/api/accounts/services.ts';
import { Background, OutgoingMails } from '../../src/api/auth/parts/background.ts';
import { DeviceTokens, KnownNetworks } from '../../src/api/auth/parts/devices.ts';
import { Passwords } from '../../src/api/auth/parts/passwords.ts';
import { RefreshCookies } from '../../src/api/auth/parts/refreshCookies.ts';
import { SecondFactors } from '../../src/api/auth/parts/secondFactors.ts';
import { Trials } from '../../src/api/auth/parts/trials.ts';
import { createAdvances } from '../../src/api/control/advance/createAdvances.ts';
import { pathPrices } from '../../src/api/domain/requestPrice.ts';
import { createBodyReader } from '../../src/api/http/body.ts';
import { Connections } from '../../src/api/http/connections.ts';
import { listen, tlsFilesOf } from '../../src/api/http/httpServer.ts';
import { Idempotency } from '../../src/api/http/idempotency.ts';
import { registerCertificate } from '../../src/api/http/metrics.ts';
import { Upgrades } from '../../src/api/http/upgrades.ts';
import { Health } from '../../src/api/operations/health.ts';
import { createJobBoard } from '../../src/api/operations/jobBoard.ts';
import { readDashboard } from '../../src/api/pages/dashboardFiles.ts';
import { allEndpoints } from '../../src/api/registry.ts';
import { createApp } from '../../src/api/server.ts';
import { AccountFeeds } from '../../src/api/stream/account/accountFeeds.ts';
import { createChannels } from '../../src/api/stream/allChannels.ts';
import { MarketStream } from '../../src/api/stream/channel/marketStream.ts';
import { SocketSlots } from '../../src/api/stream/socketSlots.ts';
import { StreamServer } from '../../src/api/stream/streamServer.ts';
import { usageOf } from '../../src/api/trading.ts';
import { AlertDeliveries } from '../../src/features/alerts/store/alertDeliveries.ts';
import { AlertEndpoints } from '../../src/features/alerts/store/alertEndpoints.ts';
import { Forks } from '../../src/features/copies/forks.ts';
import { Imports } from '../../src/features/copies/imports.ts';
import { MirrorStore } from '../../src/features/copies/mirrorStore.ts';
import { Mirrors } from '../../src/features/copies/mirrors.ts';
import { DeploymentSecrets, KeptSecret } from '../../src/shared/access/secrets.ts';
import { type Billing, createBilling } from '../../src/shared/billing/billing.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { createLogger, serializers } from '../../src/shared/logger.ts';
import { createMailer } from '../../src/shared/mailer.ts';
import { AuditLog } from '../../src/shared/mongo/auditLog.ts';
import { DeletedUsers } from '../../src/shared/mongo/deletedUsers.ts';
import { KeyStore } from '../../src/shared/mongo/keyStore.ts';
import { connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { SecondFactorStore } from '../../src/shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../../src/shared/mongo/sessionStore.ts';
import { TrialStore } from '../../src/shared/mongo/trialStore.ts';
import { UserStore } from '../../src/shared/mongo/userStore.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { noTracing } from '../../src/shared/tracing/tracing.ts';
import { VenueBudget } from '../../src/shared/venue/venueBudget.ts';
import { FreshQuestions } from '../../src/shared/venue/venueQuestions.ts';
import { requireContract } from './contract.ts';
import { ExchangeInMemory } from './exchangeInMemory.ts';
import { newestFormats } from './formats.ts';
import { requireNoSecrets } from './secrets.ts';
import type { Store } from './stores.ts';

/** Cheap hashes, so that tests are about everything else. */
const CHEAP = { ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };

/** Tests make many accounts from one address; those of the limits set their own. */
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
  /** What operators see of it. */
  readonly health: Health;
  readonly registry: Registry;
  /** What requests hold now. */
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
    const now = options.now ?? Date.now;
    const exchange = new ExchangeInMemory();
    const accounts = new AccountCommands(options.gateway ?? exchange.services.gateway);
    const users = new UserStore(mongo);
    const keys = new KeyStore(mongo);
    const passwords = new Passwords(config);
    const sessions = new SessionStore(mongo);
    const sessionUsage = new SessionUsage({ sessions, log });
    const credentials = new Credentials({ config, redis, keys, users, sessions, sessionUsage, log, now });
    const keyUsage = new KeyUsage({ redis, log });
    const registry = new Registry();
    const { market } = exchange;
    const forks = new Forks({ gateway: accounts, mongo, formats: newestFormats, log });
    const budget = new VenueBudget({ redis, config, now });
    const venue = new FreshQuestions({ log, url: config.MARKET_URL, budget, now });
    const imports = new Imports({ gateway: accounts, mongo, venue, now });
    const audit = new AuditLog(mongo);
    const mirrors = new Mirrors({ gateway: accounts, store: new MirrorStore(mongo), audit, redis, imports, config, now });
    const ownAccounts = new KnownAccounts({ gateway: accounts, users, forks });
    const { history = exchange.services.history } = options;
    const services: Services = {
      ...{ ...exchange.services, gateway: accounts, history, config, log },
      ...{ limits: { usage: usageOf }, ownAccounts, excursions: new ExcursionStore({ mongo, formats: newestFormats }) },
    };
    const secrets = new DeploymentSecrets(config, new KeptSecret(mongo));
    // Tests that let days pass go on with the token that they have.
    const tokens = new AccessTokens({ config, secrets, now: Date.now });
    // Beyond any pause of a busy machine, after which a node counts alone.
    const counted = { redis, log, now, answerMs: 60_000 };
    const rateLimit = new RateLimit({ ...counted, ...(options.windowMs && { windowMs: options.windowMs }) });
    const hourLimit = new RateLimit({ ...counted, ...hourWindow });
    const held = new HeldBytes(config);
    const background = new Background(log);
    const mails = new OutgoingMails({ log, mailer: createMailer({ config, log, now }) });
    const auth = {
      config,
      log,
      now,
      users,
      deletedUsers: new DeletedUsers(mongo),
      keys,
      sessions,
      sessionUsage,
      secondFactors: new SecondFactors({ store: new SecondFactorStore(mongo), secrets, log, now }),
      passwords,
      redis,
      secrets,
      cookies: new RefreshCookies(secrets),
      devices: new DeviceTokens({ secrets, now }),
      networks: new KnownNetworks({ secrets, users }),
      trials: new Trials({ secrets, store: new TrialStore(mongo), users }),
      tokens,
      credentials,
      keyUsage,
      accounts,
      ownAccounts,
      readBody: createBodyReader({ config, held }),
      audit,
      rateLimit,
      hourLimit,
      background,
      mails,
      idempotency: new Idempotency({ redis, config, log, secret: () => secrets.keyFor('idempotency') }),
    };
    const billing = createBilling({ config, log, now, redis, mongo, formats: newestFormats });
    const health = new Health({ config, redis, mongo, market: () => market, log, now });
    const connection = (): Redis => connectRedis({ url: stores.redis.url, name: 'board', log });
    const board = config.ADMIN_PASSWORD === '' ? undefined : createJobBoard({ config, connection: connection(), rateLimit });
    const endpoints = allEndpoints({
      hasTestPayments: billing.test !== undefined,
      hasDashboard: config.DASHBOARD === 'on',
      hasControl: config.CONTROL === 'on',
    });
    const admission = new Admission({ config, credentials, tokens, keyUsage, rateLimit, prices: pathPrices(endpoints) });
    const upgrades = new Upgrades();
    // Several nodes of a test have one name.
    const tracing = noTracing;
    const places = new SocketSlots({ redis, log, nodeId: randomUUID() });
    const stream = new MarketStream(exchange.minutes);
    const subscriberFactory = (name = 'subscriber'): Redis => connectRedis({ url: stores.redis.url, name, log });
    const feeds = new AccountFeeds({ redis, config, log, subscriberFactory });
    const answers = new AccountAnswers({ services, historyOf: () => history, history: { stored: async () => [] } });
    const channels = createChannels({ services, market: stream, accounts: { answers, feeds } });
    const streams = new StreamServer({ now, places, services, admission, credentials, channels, upgrades, held, tracing });
    const unread = new UnreadAnswers({ config, log: createSeldomLog(log, now) });
    const alerts = { endpoints: new AlertEndpoints(mongo), deliveries: new AlertDeliveries(mongo), realNow: now };
    const parts = {
      endpoints,
      alerts,
      auth,
      billing,
      forks,
      imports,
      mirrors,
      mongo,
      services,
      answers,
      admission,
      held,
      unread,
      streams,
      health,
      registry,
      tracing,
    };
    const ofControl = { config, redis, mongo, subscriberFactory, realNow: Date.now, market, follower: { position: undefined } };
    const advances = config.CONTROL === 'on' ? await createAdvances(ofControl) : undefined;
    const dashboard = config.DASHBOARD === 'on' ? readDashboard(config.PUBLIC_URL) : undefined;
    const app = createApp({ ...parts, ...(advances && { advances }), ...(board && { board }), ...(dashboard && { dashboard }) });
    streams.start();
    unread.start();
    await credentials.start();
    keyUsage.start();
    sessionUsage.start();
    const connections = new Connections(config, createSeldomLog(log, now));
    const server = await listen(app, {
      host: config.HOST,
      port: config.PORT,
      log,
      headersOfRefusal: () => limitHeaders(unusedLimit(config, now())),
      upgrades,
      tls: tlsFilesOf(config),
      tlsLookMs: 100,
      connections,
    });
    if (server.certificateEndsAtMs !== undefined) registerCertificate(registry, server.certificateEndsAtMs);
    const baseUrl = `http://127.0.0.1:${server.port}`;
    return new ApiNode(
      {
        ...{
          baseUrl,
          redis,
          mongo,
          services,
          stream,
          passwords,
          billing,
          background,
          sessionUsage,
          mails,
          mailDir,
          exchange,
          logLines,
        },
        ...{ health, registry, held, unread },
      },
      async () => {
        await Promise.all([server.stop(), streams.stop()]);
        unread.stop();
        feeds.stop();
        await Promise.all([background.stop(), mails.stop()]);
        rmSync(mailDir, { recursive: true });
        credentials.stop();
        await board?.stop();
        await advances?.stop();
        await keyUsage.stop();
        await sessionUsage.stop();
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
