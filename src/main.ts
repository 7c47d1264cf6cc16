// The composition root: configuration, connections, the roles asked for, and the stop in reverse order. Only this
// file reads the environment, opens connections and listens to signals. `node dist/main.js [api] [actors] [market]
// [jobs] [emulator]`; no role means all but the emulator.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { ClockWatch } from './shared/clock/clockWatch.ts';
import { ExchangeClock } from './shared/clock/exchangeClock.ts';
import { readConfig } from './shared/config/config.ts';
import { ClockFollower } from './shared/deployment/clockFollower.ts';
import { joinDeployment } from './shared/deployment/joinDeployment.ts';
import { Leaving } from './shared/deployment/leaving.ts';
import type { Role, RoleParts } from './shared/deployment/role.ts';
import { createLogger, type Logger } from './shared/logger.ts';
import { type HealthSource, startMetricsServer } from './shared/metrics/metricsServer.ts';
import { collectProcessMetrics, measureLoopDelay } from './shared/metrics/processMetrics.ts';
import { readinessOf, StartSteps, type WhyNotReady } from './shared/metrics/readiness.ts';
import { connectMongo } from './shared/mongo/mongo.ts';
import { openSubscriber } from './shared/redis/channels.ts';
import { connectRedis } from './shared/redis/redis.ts';
import { startTracing } from './shared/tracing/startTracing.ts';
import { waitAtMost } from './shared/waiting.ts';
import { makeYoungFirst } from './shared/youngFirst.ts';

/** Longest that the stop waits for one part, ms: its connection may be dead. */
const CLOSE_MS_MAX = 8000;
/** Longest a stop may take, ms. Recovery deals with what still runs then, as it does after a crash. */
const STOP_MS_MAX = 15_000;

// A process loads the code of its own roles only. The order is that of the start; the stop is in reverse.
const roles = {
  emulator: async (parts) => (await import('./market/emulator/role.ts')).startEmulatorRole(parts),
  market: async (parts) => (await import('./market/role.ts')).startMarket(parts),
  actors: async (parts) => (await import('./actors/role.ts')).startActors(parts),
  jobs: async (parts) => (await import('./jobs/role.ts')).startJobs(parts),
  api: async (parts) => (await import('./api/role.ts')).startApi(parts),
} satisfies Record<string, (parts: RoleParts) => Promise<Role>>;

type RoleName = keyof typeof roles;

/** Where the keys are that each role needs to begin. */
const TAGS: Readonly<Record<RoleName, readonly string[]>> = {
  emulator: [],
  market: ['{mkt}'],
  actors: ['{mkt}'],
  jobs: ['{bull}', '{jobs}'],
  api: ['{mkt}', '{keys}'],
};

async function main(): Promise<void> {
  makeYoungFirst();
  const names = rolesAskedFor(process.argv.slice(2));
  const given = readConfig(process.env);
  const config = Object.freeze({ ...given, NODE_ID: given.NODE_ID || nodeId() });
  const log = createLogger({ level: config.LOG_LEVEL, role: names.join('+') });
  exitOnUnhandledError(log);

  const closers: { name: string; close: () => Promise<unknown> }[] = [];
  const stop = stopOnSignal(log, closers);
  const leaving = new Leaving(log);
  process.on('SIGUSR2', () => leaving.ask());

  const redis = connectRedis({ url: config.REDIS_URL, name: config.NODE_ID, log });
  closers.push({ name: 'redis', close: async () => redis.disconnect() });
  const mongo = connectMongo({ url: config.MONGO_URL, database: config.MONGO_DATABASE, timeoutMs: config.MONGO_TIMEOUT_MS });
  closers.push({ name: 'mongo', close: () => mongo.close() });
  const registry = new Registry();
  collectProcessMetrics(registry);
  measureLoopDelay(registry, names.join('+'));
  const tracing = await startTracing({ config, roles: names, log, registry });
  closers.push({ name: 'tracing', close: () => tracing.stop() });
  const subscriberFactory: RoleParts['subscriberFactory'] = (name = 'subscriber', options = {}) =>
    connectRedis({ url: config.REDIS_URL, name: `${config.NODE_ID}:${name}`, log, ...options });
  const metrics = await startMetricsServer({ config, log, registry });
  closers.push({ name: 'metrics', close: () => metrics.stop() });
  const steps = new StartSteps(log, stop.asked);
  metrics.showReadiness(steps.readiness);
  const clock = new ExchangeClock();
  const clockWatch = new ClockWatch(clock, { log, registry });
  const deployment = await steps.run({ name: 'this process', tags: ['{deployment}'] }, () =>
    joinDeployment({
      ...{ clock, clockWatch, redis, mongo, log, shards: config.SHARDS, nodeId: config.NODE_ID, roles: names },
      onRefused: (error) => {
        log.fatal({ reason: error.message }, 'this process does not belong to the deployment any more');
        stop.withError();
      },
    }),
  );
  closers.push({ name: 'deployment', close: () => deployment.stop() });
  const { formats } = deployment;
  const parts: RoleParts = {
    config,
    log,
    redis,
    subscriberFactory,
    mongo,
    now: clock.now,
    realNow: clock.realNow,
    clock,
    formats,
    registry,
    tracing,
  };
  const settling = config.CONTROL === 'on' ? await followClock(parts, clock) : undefined;
  if (settling !== undefined) closers.push({ name: 'clock', close: () => settling.stop() });
  const whyNotReady: WhyNotReady[] = [];
  for (const name of names) {
    if (stop.asked()) return;
    const step = { name: `the role ${name}`, tags: TAGS[name] };
    const starting = steps.run<Role & { readonly health?: HealthSource }>(step, () => roles[name](parts));
    const role = await starting.catch((error: unknown) => {
      log.fatal({ role: name, err: error }, 'role cannot start');
      throw new Error(`The role ${name} cannot start: ${error instanceof Error ? error.message : String(error)}`);
    });
    closers.push({ name, close: () => role.stop() });
    whyNotReady.push(role.whyNotReady);
    leaving.add(role);
    settling?.follower.add(role);
    log.info({ started: name, nodeId: config.NODE_ID }, 'role started');
    if (role.health !== undefined) metrics.showHealth(role.health);
  }
  if (!names.includes('api')) metrics.showHealth(await healthOutsideApi(parts));
  metrics.showReadiness(() => readinessOf(whyNotReady, { isStopping: stop.asked, leaving: () => leaving.state }));
}

/** Where a test may set exchange time ahead, a process hears of it at once. */
async function followClock(
  { config, log, redis, subscriberFactory }: RoleParts,
  clock: ExchangeClock,
): Promise<{ readonly follower: ClockFollower; stop(): Promise<void> }> {
  const subscriber = openSubscriber(redis, () => subscriberFactory('clock'));
  const follower = new ClockFollower({ redis, log, nodeId: config.NODE_ID, clock }, subscriber.connection);
  await follower.start();
  return {
    follower,
    stop: async () => {
      await follower.stop();
      subscriber.close();
    },
  };
}

/** The report of a process that does not follow the market: as the leader has stored it. */
async function healthOutsideApi({ config, log, redis, mongo, now }: RoleParts): Promise<HealthSource> {
  const { Health, storedMarket } = await import('./api/operations/health.ts');
  const health = new Health({ config, log, redis, mongo, now, market: storedMarket(redis, config) });
  return () => health.report();
}

/** @throws Error that names the role that does not exist */
function rolesAskedFor(words: readonly string[]): RoleName[] {
  const known = Object.keys(roles) as RoleName[];
  const unknown = words.find((word) => !Object.hasOwn(roles, word));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not a role: give any of ${known.join(', ')}, or none for all.`);
  return words.length === 0 ? known.filter((name) => name !== 'emulator') : known.filter((name) => words.includes(name));
}

const nodeId = (): string => `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;

interface Stop {
  asked(): boolean;
  /** As a signal does, with the status of a failure. */
  withError(): void;
}

/** The first SIGTERM or SIGINT closes what is open, last opened first; a second one ends the process at once. */
function stopOnSignal(log: Logger, closers: { name: string; close: () => Promise<unknown> }[]): Stop {
  let asked = false;
  const closeAll = async (): Promise<void> => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      const { name, close } = closer;
      const closed = await closesWithin(CLOSE_MS_MAX, close());
      if (closed) log.info({ closed: name }, 'closed');
      else log.warn({ name, afterMs: CLOSE_MS_MAX }, 'a part does not end, going on without it');
    }
  };
  const stop = (status: number): void => {
    asked = true;
    setTimeout(() => {
      log.error({ afterMs: STOP_MS_MAX, open: closers.map(({ name }) => name) }, 'stop took too long');
      process.exit(1);
    }, STOP_MS_MAX).unref();
    closeAll().then(
      () => process.exit(status),
      (error: unknown) => {
        log.error({ err: error }, 'stop failed');
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(1);
    log.info({ signal }, 'stopping');
    stop(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return {
    asked: () => asked,
    withError: () => {
      if (!asked) stop(1);
    },
  };
}

async function closesWithin(ms: number, closing: Promise<unknown>): Promise<boolean> {
  let isClosed = false;
  const closed = closing.then(() => {
    isClosed = true;
  });
  await waitAtMost(ms, closed);
  return isClosed;
}

/** A broken invariant in the shell ends the process. Its supervisor starts it again, and recovery does the rest. */
function exitOnUnhandledError(log: Logger): void {
  const exit = (error: unknown): void => {
    log.fatal({ err: error }, 'ended by an unhandled error');
    process.exit(1);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}

main().catch((error: unknown) => {
  // Before the log exists (a wrong variable, a wrong role) and for a role that cannot start: one clear line, then the end.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
