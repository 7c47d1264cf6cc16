// The work of Redis between two moments: commands, their time, messages to subscribers and bytes, each per unit of work.
import type { Redis } from '../../src/shared/redis/redis.ts';
import { round } from './load.ts';

/** The table names commands that come at least this often per unit of work. */
const NAMED_MIN = 0.02;

export interface RedisWork {
  /** Calls from clients and from scripts, and their time in Redis, microseconds. A script's time has that of its calls in it. */
  readonly commands: Readonly<Record<string, { readonly calls: number; readonly micros: number }>>;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

type Numbers = ReadonlyMap<string, number>;

export class RedisMeter {
  readonly #redis: Redis;
  readonly #before: Numbers;

  private constructor(redis: Redis, before: Numbers) {
    this.#redis = redis;
    this.#before = before;
  }

  static async start(redis: Redis): Promise<RedisMeter> {
    return new RedisMeter(redis, await read(redis));
  }

  async per(units: number): Promise<RedisWork> {
    const now = await read(this.#redis);
    const since = (name: string): number => ((now.get(name) ?? 0) - (this.#before.get(name) ?? 0)) / units;
    const names = [...now.keys()].filter((name) => name.endsWith('.calls')).map((name) => name.replace('.calls', ''));
    const commands = names
      .map((name) => [name, { calls: round(since(`${name}.calls`), 2), micros: round(since(`${name}.usec`), 1) }] as const)
      .filter(([, { calls }]) => calls >= NAMED_MIN)
      .sort(([, a], [, b]) => b.micros - a.micros);
    return {
      commands: Object.fromEntries(commands),
      bytesIn: Math.round(since('total_net_input_bytes')),
      bytesOut: Math.round(since('total_net_output_bytes')),
    };
  }
}

/** `<command>.calls`, `<command>.usec`, and the counters of INFO stats. */
async function read(redis: Redis): Promise<Numbers> {
  const numbers = new Map<string, number>();
  for (const line of `${await redis.info('commandstats')}\n${await redis.info('stats')}`.split(/\r?\n/)) {
    const [name = '', value = ''] = line.split(':');
    const command = /^cmdstat_(.+)$/.exec(name)?.[1];
    if (command === undefined) numbers.set(name, Number(value));
    else
      for (const [, field, number] of value.matchAll(/(?<=^|,)(calls|usec)=(\d+)/g))
        numbers.set(`${command}.${field}`, Number(number));
  }
  return numbers;
}
