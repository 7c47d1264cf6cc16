// An API process that dies, by SIGKILL, right after a write has arrived at a store and before the process has heard of that. It
// starts again by itself, while its test goes on at others.

import type { Stack } from '../stack.ts';
import { TcpProxy } from '../tcpProxy.ts';
import { until } from '../until.ts';

/** A message to MongoDB that writes: the first field of a command names it. */
const MONGO_WRITE = /(?:insert|update|delete|findAndModify)\0.{4}[a-z_A-Z]+\0/s;

export class DyingNode {
  readonly #stack: Stack;
  readonly #name: string;
  readonly #baseUrl: string;
  readonly #ways: readonly TcpProxy[];
  #writesLeft = 0;
  #isHit = false;
  #revived: Promise<void> = Promise.resolve();

  private constructor(stack: Stack, of: { name: string; baseUrl: string; ways: readonly TcpProxy[]; heard: Heard }) {
    this.#stack = stack;
    this.#name = of.name;
    this.#baseUrl = of.baseUrl;
    this.#ways = of.ways;
    of.heard.onWrite = () => this.#onWrite();
    of.heard.onAnswer = () => this.#onAnswer();
  }

  /** @param redisWrites what a message to Redis contains that counts as a write: a node tells Redis much else by itself */
  static async start(stack: Stack, redisWrites: RegExp): Promise<DyingNode> {
    const heard: Heard = { onWrite: () => false, onAnswer: () => undefined };
    const through = async (url: string, isWrite: RegExp): Promise<{ way: TcpProxy; url: string }> => {
      const target = new URL(url);
      const way = await TcpProxy.start(Number(target.port), () => {
        let isAwaited = false;
        return {
          onClient: (chunk) => {
            if (isWrite.test(chunk.toString('latin1')) && heard.onWrite()) isAwaited = true;
          },
          onServer: () => {
            if (isAwaited) heard.onAnswer();
          },
        };
      });
      target.port = String(way.port);
      return { way, url: target.href };
    };
    const redis = await through(stack.redisUrl, redisWrites);
    const mongo = await through(stack.mongoStore.url, MONGO_WRITE);
    const name = await stack.add('api', { REDIS_URL: redis.url, MONGO_URL: mongo.url });
    const node = new DyingNode(stack, { name, baseUrl: stack.baseUrls.at(-1) as string, ways: [redis.way, mongo.way], heard });
    await stack.waitHealthy();
    return node;
  }

  /**
   * Asks the node, and kills it when so many of its writes have arrived.
   * @returns whether it has died of that; the answer is lost then
   */
  async ask(writes: number, request: (baseUrl: string) => Promise<unknown>): Promise<boolean> {
    await this.#revived;
    this.#writesLeft = writes;
    const outcome = await request(this.#baseUrl).then(
      () => 'answered',
      (error: unknown) => error,
    );
    this.#writesLeft = 0;
    if (this.#isHit && outcome === 'answered') throw new Error('an answer came from a node that had not heard of its own write');
    if (!this.#isHit && outcome !== 'answered') throw outcome;
    const hasDied = this.#isHit;
    if (hasDied) this.#revived = this.#revive();
    return hasDied;
  }

  async #revive(): Promise<void> {
    await until(() => !this.#stack.process(this.#name).isRunning);
    for (const way of this.#ways) way.cut();
    this.#isHit = false;
    await this.#stack.restart(this.#name);
    await until(async () => (await fetch(`${this.#baseUrl}/health`).catch(() => undefined))?.status === 200);
  }

  async close(): Promise<void> {
    await this.#revived;
    await this.#stack.process(this.#name).end();
    await Promise.all(this.#ways.map((way) => way.close()));
  }

  #onWrite(): boolean {
    if (this.#writesLeft === 0 || this.#isHit) return false;
    this.#writesLeft -= 1;
    if (this.#writesLeft > 0) return false;
    this.#isHit = true;
    for (const way of this.#ways) way.loseAnswers();
    return true;
  }

  #onAnswer(): void {
    const { pid } = this.#stack.process(this.#name);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
}

interface Heard {
  /** @returns true when the node is to die when this write is answered */
  onWrite: () => boolean;
  onAnswer: () => void;
}
