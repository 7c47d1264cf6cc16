// The composition root: configuration, connections, the roles asked for, and the stop in reverse order. Only this
// file reads the environment and opens connections. `node dist/main.js [api] [actors] [market]
// [jobs] [emulator]`; no role means all but the emulator.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { readConfig } from './shared/config/config.ts';
import { ClockWatch, ExchangeClock } from './shared/deployment/exchangeClock.ts';
import { joinDeployment } from './shared/deployment/joinDeployment.ts';
import { Leaving } from './shared/deployment/leaving.ts';
import { ProcessStop } from './shared/deployment/processStop.ts';
import type { Role, RoleParts } from './shared/deployment/role.ts';
import { followClock } from './shared/deployment/settledProcesses.ts';
import { createLogger } from './shared/logger.ts';
import { type HealthSource, startMetricsServer } from './shared/metrics/metricsServer.ts';
import { collectProcessMetrics, measureLoopDelay } from './shared/metrics/processMetrics.ts';
import { readinessOf, StartSteps, type WhyNotReady } from './shared/metrics/readiness.ts';
import { connectMongo } from './shared/mongo/mongo.ts';
import { connectRedis } from './shared/redis/redis.ts';
import { startTracing } from './shared/tracing/startTracing.ts';
import { makeYoungFirst } from './shared/youngFirst.ts';

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
const TAGS = { emulator: [], market: ['{mkt}'], actors: ['{mkt}'], jobs: ['{bull}', '{jobs}'], api: ['{mkt}', '{keys}'] };

async function main(): Promise<void> {
  makeYoungFirst();
  const names = rolesAskedFor(process.argv.slice(2));
  const given = readConfig(process.env);
  const config = Object.freeze({ ...given, NODE_ID: given.NODE_ID || nodeId() });
  const log = createLogger({ level: config.LOG_LEVEL, role: names.join('+') });
  const stop = new ProcessStop(log);
  stop.exitOnUnhandledError();
  stop.onSignals();
  const leaving = new Leaving(log);
  process.on('SIGUSR2', () => leaving.ask());

  const redis = connectRedis({ url: config.REDIS_URL, name: config.NODE_ID, log });
  stop.add('redis', () => redis.disconnect());
  const mongo = connectMongo({ url: config.MONGO_URL, database: config.MONGO_DATABASE, timeoutMs: config.MONGO_TIMEOUT_MS });
  stop.add('mongo', () => mongo.close());
  const registry = new Registry();
  collectProcessMetrics(registry);
  measureLoopDelay(registry, names.join('+'));
  const tracing = await startTracing({ config, roles: names, log, registry });
  stop.add('tracing', () => tracing.stop());
  const subscriberFactory: RoleParts['subscriberFactory'] = (name = 'subscriber', options = {}) =>
    connectRedis({ url: config.REDIS_URL, name: `${config.NODE_ID}:${name}`, log, ...options });
  const metrics = await startMetricsServer({ config, log, registry });
  stop.add('metrics', () => metrics.stop());
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
  stop.add('deployment', () => deployment.stop());
  const parts: RoleParts = {
    ...{ config, log, redis, subscriberFactory, mongo, formats: deployment.formats, registry, tracing },
    ...{ clock, now: clock.now, realNow: clock.realNow },
  };
  const settling = config.CONTROL === 'on' ? await followClock(parts, clock) : undefined;
  if (settling !== undefined) stop.add('clock', () => settling.stop());
  const whyNotReady: WhyNotReady[] = [];
  for (const name of names) {
    if (stop.asked()) return;
    const step = { name: `the role ${name}`, tags: TAGS[name] };
    const starting = steps.run<Role & { readonly health?: HealthSource }>(step, () => roles[name](parts));
    const role = await starting.catch((error: unknown) => {
      log.fatal({ role: name, err: error }, 'role cannot start');
      throw new Error(`The role ${name} cannot start: ${error instanceof Error ? error.message : String(error)}`);
    });
    stop.add(name, () => role.stop());
    whyNotReady.push(role.whyNotReady);
    leaving.add(role);
    settling?.follower.add(role);
    log.info({ started: name, nodeId: config.NODE_ID }, 'role started');
    if (role.health !== undefined) metrics.showHealth(role.health);
  }
  if (!names.includes('api')) metrics.showHealth((await import('./api/operations/health.ts')).healthOutsideApi(parts));
  metrics.showReadiness(() => readinessOf(whyNotReady, { isStopping: stop.asked, leaving: () => leaving.state }));
}

/** @throws Error that names the role that does not exist */
function rolesAskedFor(words: readonly string[]): RoleName[] {
  const known = Object.keys(roles) as RoleName[];
  const unknown = words.find((word) => !Object.hasOwn(roles, word));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not a role: give any of ${known.join(', ')}, or none for all.`);
  return words.length === 0 ? known.filter((name) => name !== 'emulator') : known.filter((name) => words.includes(name));
}

const nodeId = (): string => `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;

main().catch((error: unknown) => {
  // Before the log exists (a wrong variable, a wrong role) and for a role that cannot start: one clear line, then the end.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
