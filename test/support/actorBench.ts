// Actor pods and API gateways in one process on real stores, for tests of the runtime. Only the market is replaced,
// by a scripted one, and the rules where a test needs one to fail.

import type { Registry } from 'prom-client';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { OrderRequest } from '../../src/actors/core/messages/order.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import type { Rules } from '../../src/actors/core/rules.ts';
import { type Actors, startActors } from '../../src/actors/role.ts';
import type { AccountGateway } from '../../src/api/accounts/accountGateway.ts';
import { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { type Config, readConfig } from '../../src/shared/config/config.ts';
import type { RoleParts } from '../../src/shared/deployment/role.ts';
import type { FormatSource } from '../../src/shared/domain/formats.ts';
import { createLogger, type Logger } from '../../src/shared/logger.ts';
import { connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from './formats.ts';
import { gatewayOf } from './gatewayOf.ts';
import { roleParts } from './roleParts.ts';
import { ScriptedMarket } from './scriptedMarket.ts';
import { type Store, startMongo, startRedis } from './stores.ts';
import { until } from './until.ts';

export class ActorBench {
  /** As it is now; replaced by restartRedis. */
  redisStore: Store;
  readonly mongoStore: Store;
  readonly redis: Redis;
  readonly market: ScriptedMarket;
  readonly config: Config;
  readonly log: Logger;
  readonly #mongo: MongoConnection;
  readonly #connections: Redis[] = [];
  readonly #pods = new Set<Actors>();
  readonly #gateways: CommandGateway[] = [];

  private constructor(stores: { redis: Store; mongo: Store }, env: Record<string, string>) {
    this.redisStore = stores.redis;
    this.mongoStore = stores.mongo;
    const { LOG_LEVEL = 'silent' } = process.env;
    this.config = readConfig({
      NODE_ID: 'test',
      LOG_LEVEL,
      REDIS_URL: stores.redis.url,
      MONGO_URL: stores.mongo.url,
      SHARDS: '2',
      LEASE_TTL_MS: '600',
      // Beyond any pause of a busy machine: a command that waits is begun.
      COMMAND_DEADLINE_MS: '60000',
      MARKET_MAX_AGE_MS: '600000',
      ...env,
    });
    this.log = createLogger({ level: this.config.LOG_LEVEL, role: 'test' });
    this.redis = this.connect('test');
    this.market = new ScriptedMarket(this.redis);
    this.#mongo = connectMongo({ url: stores.mongo.url, database: 'test', timeoutMs: 2000 });
  }

  /** @param stores that it stops at its end; default: new ones */
  static async start(env: Record<string, string> = {}, stores?: { redis: Store; mongo: Store }): Promise<ActorBench> {
    const bench = new ActorBench(stores ?? (await newStores()), env);
    await bench.market.start();
    return bench;
  }

  get mongo(): MongoConnection {
    return this.#mongo;
  }

  readonly connect = (name = 'connection', url = this.config.REDIS_URL, options: { sendsAtOnce?: boolean } = {}): Redis => {
    const connection = connectRedis({ url, name, log: this.log, ...options });
    this.#connections.push(connection);
    return connection;
  };

  /** The pods that run. */
  get pods(): readonly Actors[] {
    return [...this.#pods];
  }

  /** @param options.url, options.mongo another way to the same Redis or MongoDB, e.g. through a proxy */
  async startPod(
    options: {
      rules?: Partial<Rules>;
      url?: string;
      mongo?: MongoConnection;
      nodeId?: string;
      registry?: Registry;
      formats?: FormatSource;
      now?: () => number;
      realNow?: () => number;
    } = {},
  ): Promise<Actors> {
    const { rules, url, nodeId = 'pod', ...given } = options;
    const subscriberFactory: RoleParts['subscriberFactory'] = (name, connection) => this.connect(name, url, connection);
    const { log, redis, mongo } = this;
    const config = { ...this.config, NODE_ID: nodeId };
    const pod = await startActors(
      roleParts({ ...{ config, log, redis, mongo, subscriberFactory, realNow: Date.now }, ...given }),
      { ...tradingRules, ...rules },
    );
    this.#pods.add(pod);
    return pod;
  }

  async stopPod(pod: Actors): Promise<void> {
    if (this.#pods.delete(pod)) await pod.stop();
  }

  /** A pod that owns and answers for all shards. */
  async startOnlyPod(options: Parameters<ActorBench['startPod']>[0] = {}): Promise<Actors> {
    const pod = await this.startPod(options);
    await until(() => this.hasAllShards(pod));
    return pod;
  }

  hasAllShards(pod: Actors): boolean {
    const status = pod.status();
    return status.length === this.config.SHARDS && status.every((shard) => shard.loaded);
  }

  async startGateway(options: { url?: string; config?: Partial<Config>; realNow?: () => number } = {}): Promise<CommandGateway> {
    const { url, config, realNow = Date.now } = options;
    const gateway = new CommandGateway({
      redis: this.connect('gateway', url),
      subscriber: this.connect('replies', url),
      formats: newestFormats,
      config: { ...this.config, ...config },
      log: this.log,
      realNow,
      nodeId: 'api',
    });
    await gateway.start();
    this.#gateways.push(gateway);
    return gateway;
  }

  /** The same as an API node has it, without views. */
  async startNodeGateway(): Promise<AccountGateway> {
    const gateway = await this.startGateway();
    return gatewayOf(gateway.send.bind(gateway));
  }

  /** Starts Redis again on what a kill has left on disk. */
  async restartRedis(): Promise<void> {
    const { dir, port } = this.redisStore;
    this.redisStore = await startRedis({ dir, port });
  }

  async stop(): Promise<void> {
    for (const gateway of this.#gateways) await gateway.stop();
    await Promise.all([...this.#pods].map((pod) => this.stopPod(pod)));
    for (const connection of this.#connections) connection.disconnect();
    await this.#mongo.close();
    await Promise.all([this.redisStore.stop(), this.mongoStore.stop()]);
  }
}

async function newStores(): Promise<{ redis: Store; mongo: Store }> {
  const [redis, mongo] = await Promise.all([startRedis(), startMongo({ memory: true })]);
  return { redis, mongo };
}

export const accountName = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;

const order: OrderRequest = {
  asset: 0,
  side: 'buy',
  limitPrice: '65100',
  size: '0.001',
  reduceOnly: false,
  type: { kind: 'limit', timeInForce: 'ioc' },
};

export const commands = {
  open: { type: 'openAccount', depositUsd: '10000' },
  place: (fields: Partial<OrderRequest> = {}): AccountCommand => ({
    type: 'placeOrders',
    orders: [{ ...order, ...fields }],
    grouping: 'na',
  }),
  rest: (limitPrice: string, size = '0.001', side: 'buy' | 'sell' = 'buy'): AccountCommand => ({
    type: 'placeOrders',
    orders: [{ ...order, side, limitPrice, size, type: { kind: 'limit', timeInForce: 'gtc' } }],
    grouping: 'na',
  }),
  openOrders: { type: 'query', query: { kind: 'openOrders' } },
  state: { type: 'query', query: { kind: 'accountState' } },
  fills: { type: 'query', query: { kind: 'history', rows: 'fills', want: { limit: 1000 } } },
} satisfies Record<string, AccountCommand | ((...args: never[]) => AccountCommand)>;

/** The answer to a question, or an error that shows what came instead. */
export function answerOf(outcome: Outcome): Extract<Outcome, { type: 'answer' }>['answer'] {
  if (outcome.type !== 'answer') throw new Error(`not an answer: ${JSON.stringify(outcome)}`);
  return outcome.answer;
}
