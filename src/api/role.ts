// The role `api`: an HTTP server that authenticates, limits, validates and passes on. Another node could rebuild all
// of its state, so any number of nodes run side by side.

import { AlertDeliveries } from '../features/alerts/store/alertDeliveries.ts';
import { AlertEndpoints } from '../features/alerts/store/alertEndpoints.ts';
import { Forks } from '../features/copies/forks.ts';
import { Imports } from '../features/copies/imports.ts';
import { createMirrorLeader, registerMirrors } from '../features/copies/mirrorLeader.ts';
import { MirrorStore } from '../features/copies/mirrorStore.ts';
import { Mirrors } from '../features/copies/mirrors.ts';
import type { MarketChange, TradesChange } from '../market/domain/feed.ts';
import { LiveMarket } from '../market/domain/liveMarket.ts';
import { readMessage, readTrades } from '../market/domain/marketForms.ts';
import { DeploymentSecrets, KeptSecret } from '../shared/access/secrets.ts';
import { createBilling } from '../shared/billing/billing.ts';
import { requireSecrets } from '../shared/config/rules.ts';
import type { Role, RoleParts } from '../shared/deployment/role.ts';
import { createMailer } from '../shared/mailer.ts';
import type { HealthSource } from '../shared/metrics/metricsServer.ts';
import { AuditLog } from '../shared/mongo/auditLog.ts';
import { DeletedUsers } from '../shared/mongo/deletedUsers.ts';
import { KeyStore } from '../shared/mongo/keyStore.ts';
import { SecondFactorStore } from '../shared/mongo/secondFactorStore.ts';
import { SessionStore } from '../shared/mongo/sessionStore.ts';
import { TrialStore } from '../shared/mongo/trialStore.ts';
import { UserStore } from '../shared/mongo/userStore.ts';
import { openSubscriber } from '../shared/redis/channels.ts';
import { FeedFollower, type FollowerHandlers } from '../shared/redis/feedFollower.ts';
import { CandleStore } from '../shared/venue/candleStore.ts';
import { Upstream } from '../shared/venue/upstream.ts';
import { countCandleChunks, countVenueWeight, VenueBudget } from '../shared/venue/venueBudget.ts';
import { FreshQuestions } from '../shared/venue/venueQuestions.ts';
import { AccessTokens } from './access/accessTokens.ts';
import { Admission } from './access/admission.ts';
import { Credentials } from './access/credentials.ts';
import { KeyUsage, SessionUsage } from './access/lastUses.ts';
import { HeldBytes, UnreadAnswers } from './access/limits/heldBytes.ts';
import { hourWindow, RateLimit } from './access/limits/rateLimit.ts';
import { createSeldomLog } from './access/limits/seldomLog.ts';
import { limitHeaders, unusedLimit } from './access/requestContext.ts';
import { AccountAnswers } from './accounts/accountAnswers.ts';
import { AccountCommands } from './accounts/accountCommands.ts';
import { ExcursionStore } from './accounts/excursionStore.ts';
import { CommandGateway } from './accounts/gateway/commandGateway.ts';
import { DeepGateway } from './accounts/gateway/deepGateway.ts';
import { HistoryReader } from './accounts/historyReader.ts';
import { KnownAccounts } from './accounts/knownAccounts.ts';
import type { Services } from './accounts/services.ts';
import { createAccountReading } from './accounts/views/accountReading.ts';
import { Background, OutgoingMails } from './auth/parts/background.ts';
import { DeviceTokens, KnownNetworks } from './auth/parts/devices.ts';
import { Passwords } from './auth/parts/passwords.ts';
import { RefreshCookies } from './auth/parts/refreshCookies.ts';
import { SecondFactors } from './auth/parts/secondFactors.ts';
import { Trials } from './auth/parts/trials.ts';
import { createAdvances } from './control/advance/createAdvances.ts';
import { pathPrices } from './domain/requestPrice.ts';
import { createBodyReader } from './http/body.ts';
import { Connections } from './http/connections.ts';
import { listen, tlsFilesOf } from './http/httpServer.ts';
import { Idempotency } from './http/idempotency.ts';
import { countLocally, registerCertificate, registerReadings } from './http/metrics.ts';
import { Upgrades } from './http/upgrades.ts';
import { Lab } from './lab/lab.ts';
import { ApiReadiness } from './operations/apiReadiness.ts';
import { Health } from './operations/health.ts';
import type { JobBoard } from './operations/jobBoard.ts';
import { registerServiceMetrics } from './operations/serviceMetrics.ts';
import { readDashboard } from './pages/dashboardFiles.ts';
import { allEndpoints } from './registry.ts';
import { createApp } from './server.ts';
import { AccountFeeds } from './stream/account/accountFeeds.ts';
import { createChannels } from './stream/allChannels.ts';
import { MarketStream } from './stream/channel/marketStream.ts';
import { SocketSlots } from './stream/socketSlots.ts';
import { StreamServer } from './stream/streamServer.ts';
import { usageOf } from './trading.ts';

/** Resolves when requests are taken. @throws when the port is taken */
export async function startApi(parts: RoleParts): Promise<Role & { readonly port: number; readonly health: HealthSource }> {
  const { config, log, redis, subscriberFactory, mongo, formats, now, realNow, registry, tracing } = parts;
  requireSecrets(config);
  const replies = openSubscriber(redis, () => subscriberFactory('replies'));
  const feed = openSubscriber(redis, () => subscriberFactory('feed'));
  const market = new LiveMarket({ maxAgeMs: config.MARKET_MAX_AGE_MS });
  const stream = new MarketStream();
  const follower = new FeedFollower<MarketChange, TradesChange>({
    log,
    redis,
    subscriber: feed.connection,
    forms: { readMessage, readTrades },
    handlers: handlersOf(market, stream),
  });
  const heard = { subscriber: replies.connection, nodeId: config.NODE_ID };
  const gateway = new CommandGateway({ ...heard, redis, config, log, formats, realNow });
  const accounts = new AccountCommands(gateway);
  const users = new UserStore(mongo);
  const keys = new KeyStore(mongo);
  const passwords = new Passwords(config);
  const sessions = new SessionStore(mongo);
  const sessionUsage = new SessionUsage({ sessions, log });
  const credentials = new Credentials({ config, redis, keys, users, sessions, sessionUsage, log, now });
  const keyUsage = new KeyUsage({ redis, log });
  const budget = new VenueBudget({ redis, config, now: realNow, count: countVenueWeight(registry) });
  const ofVenue = { log, url: config.MARKET_URL, budget, now: realNow };
  const upstream = new Upstream({ ...ofVenue, redis });
  const secrets = new DeploymentSecrets(config, new KeptSecret(mongo));
  const tokens = new AccessTokens({ config, secrets, now });
  const aheadMs = (): number => parts.clock?.offsets.offsetMs ?? 0;
  const counting = { redis, log, now, aheadMs, onLocal: countLocally(registry) };
  const rateLimit = new RateLimit(counting);
  const hourLimit = new RateLimit({ ...counting, ...hourWindow });
  const held = new HeldBytes(config);
  const seldom = createSeldomLog(log, now);
  const unread = new UnreadAnswers({ config, log: seldom });
  const connections = new Connections(config, seldom);
  const background = new Background(log);
  const mails = new OutgoingMails({ log, mailer: createMailer({ config, log, now: realNow }) });
  const billing = createBilling({ config, log, now, redis, mongo, formats });
  if (billing.test !== undefined) log.warn('payments are tests: plans are had with a button, for nothing');
  const board = config.ADMIN_PASSWORD === '' ? undefined : await jobBoard(parts, rateLimit);
  const endpoints = allEndpoints({
    hasTestPayments: billing.test !== undefined,
    hasDashboard: config.DASHBOARD === 'on',
    hasControl: config.CONTROL === 'on',
  });
  const admission = new Admission({ config, credentials, tokens, keyUsage, rateLimit, prices: pathPrices(endpoints) });
  const { views, historyOf } = createAccountReading({
    ...{ gateway: accounts, replies: gateway.replies, redis, mongo, market, config, now, log, registry },
  });
  const forks = new Forks({ gateway: accounts, mongo, formats, log });
  const venue = new FreshQuestions(ofVenue);
  const imports = new Imports({ gateway: accounts, mongo, venue, now });
  const audit = new AuditLog(mongo);
  const mirrors = new Mirrors({ gateway: accounts, store: new MirrorStore(mongo), audit, redis, imports, config, now });
  const deep = new DeepGateway({ gateway: views, redis, market, log, now, realNow });
  const mirrorLeader = createMirrorLeader(parts, { mirrors, users, venue, market, deep });
  if (mirrorLeader) registerMirrors(registry, mirrorLeader);
  const ownAccounts = new KnownAccounts({ gateway: views, users, forks });
  const lab = new Lab({ redis, gateway: accounts, market, now });
  const services: Services = {
    gateway: deep,
    history: historyOf(views),
    market,
    upstream,
    candles: { store: candleStoreOf(parts), minutes: stream.minutes },
    excursions: new ExcursionStore({ mongo, formats }),
    config,
    log,
    now,
    limits: { usage: usageOf },
    ownAccounts,
    lab,
  };
  const upgrades = new Upgrades();
  const places = new SocketSlots({ redis, log, nodeId: config.NODE_ID });
  const feeds = new AccountFeeds({ redis, subscriberFactory, config, log });
  const history = new HistoryReader({ gateway: accounts, mongo });
  const answers = new AccountAnswers({ services, history, historyOf });
  const channels = createChannels({ services, market: stream, accounts: { answers, feeds } });
  const streams = new StreamServer({ now, places, services, admission, credentials, channels, upgrades, held, tracing });
  const health = new Health({ config, redis, mongo, market: () => market, log, now });
  const readiness = new ApiReadiness(health);
  registerServiceMetrics(registry, health);
  const advances = config.CONTROL === 'on' ? await createAdvances({ ...parts, market, follower }) : undefined;
  const app = createApp({
    endpoints,
    ...(board && { board }),
    ...(advances && { advances }),
    ...(config.DASHBOARD === 'on' && { dashboard: readDashboard(config.PUBLIC_URL) }),
    auth: {
      config,
      log,
      now,
      users,
      deletedUsers: new DeletedUsers(mongo),
      keys,
      sessions,
      sessionUsage,
      // A user's authenticator shows codes of real time.
      secondFactors: new SecondFactors({ store: new SecondFactorStore(mongo), secrets, log, now: realNow }),
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
    },
    billing,
    forks,
    alerts: { endpoints: new AlertEndpoints(mongo), deliveries: new AlertDeliveries(mongo), realNow },
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
  });
  registerReadings(registry, {
    waitingCommands: () => gateway.waiting,
    waitingPasswords: () => passwords.load,
    openSockets: () => streams.size,
    socketBytes: () => streams.waitingBytes,
    requestBytes: () => held.total,
    unreadBytes: () => unread.total,
    connections: () => connections.figures,
    feedAges: () => feedAgesSeconds(market, now()),
  });

  await Promise.all([gateway.start(), follower.start(), credentials.start()]);
  keyUsage.start();
  sessionUsage.start();
  streams.start();
  unread.start();
  mirrorLeader?.start();
  const server = await listen(app, {
    host: config.HOST,
    port: config.PORT,
    log,
    headersOfRefusal: () => limitHeaders(unusedLimit(config, now())),
    upgrades,
    tls: tlsFilesOf(config),
    connections,
  });
  if (server.certificateEndsAtMs !== undefined) registerCertificate(registry, server.certificateEndsAtMs);
  return {
    port: server.port,
    health: () => health.report(),
    whyNotReady: () => readiness.whyNotReady(),
    async stop() {
      const mirrorsStopped = mirrorLeader?.stop();
      await Promise.all([server.stop(), streams.stop()]);
      unread.stop();
      feeds.stop();
      lab.stop();
      await Promise.all([background.stop(), mails.stop()]);
      // A command that a mirror waits for is answered by the gateway's stop.
      await Promise.all([gateway.stop(), mirrorsStopped, follower.stop(), keyUsage.stop(), sessionUsage.stop()]);
      credentials.stop();
      await board?.stop();
      await advances?.stop();
      replies.close();
      feed.close();
    },
  };
}

/** The board's code, with BullMQ, is loaded only where the board is on. */
async function jobBoard({ config, subscriberFactory }: RoleParts, rateLimit: RateLimit): Promise<JobBoard> {
  const { createJobBoard } = await import('./operations/jobBoard.ts');
  return createJobBoard({ config, connection: subscriberFactory('board'), rateLimit });
}

/** The market view is a fold over the feed; the loaded state contains the messages that were missed. */
/** The store of the market's candles. A recording that is played again has other candles at the same times, so none is kept of it. */
function candleStoreOf({ config, log, mongo, formats, realNow, registry }: RoleParts): CandleStore | undefined {
  const { MARKET_SOURCE, EMULATOR_SEED, EMULATOR_BEGINS_MS, CANDLE_STORE_BYTES: bytesMax } = config;
  if (MARKET_SOURCE === 'replay' || bytesMax === 0) return undefined;
  const market = MARKET_SOURCE === 'live' ? 'live' : `emulated-${EMULATOR_SEED}-${EMULATOR_BEGINS_MS}`;
  return new CandleStore({ log, mongo, formats, market, bytesMax, now: realNow, count: countCandleChunks(registry) });
}

function handlersOf(market: LiveMarket, stream: MarketStream): FollowerHandlers<MarketChange, TradesChange> {
  return {
    onLoad: ({ fields, tick, missed }) => {
      market.load(fields, tick);
      const sinceMs = market.status?.connectedSinceMs ?? null;
      stream.minutes.onStatus(sinceMs);
      const candles = (market.rawMeta?.universe ?? []).flatMap(({ name }) => {
        const change = market.candle(name);
        return change !== undefined && sinceMs !== null && change.timeMs >= sinceMs ? [change] : [];
      });
      stream.onLoad(missed, candles);
    },
    onMessage: ({ changes }) => {
      for (const change of changes) market.apply(change);
      stream.onChanges(changes);
    },
  };
}

function feedAgesSeconds(market: LiveMarket, nowMs: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(market.ages(nowMs)).map(([feed, { newestMs }]) => [feed, newestMs === null ? Number.NaN : newestMs / 1000]),
  );
}
