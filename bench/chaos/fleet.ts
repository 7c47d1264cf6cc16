// The fleet that is broken: several processes of each role on real stores, each way to a store through a proxy, each process with a
// clock that can be set. It lives through all rounds.
import { FaultStack, SHARDS } from '../../test/support/faults/faultStack.ts';
import { WITH_SETTABLE_CLOCK } from '../../test/support/roleProcess.ts';
import { TcpProxy } from '../../test/support/tcpProxy.ts';
import type { Fault, StoreName, Targets } from './schedule.ts';

const entry = WITH_SETTABLE_CLOCK;

export class Fleet {
  readonly faults: FaultStack;
  readonly #ways: Readonly<Record<StoreName, TcpProxy>>;
  /** The last fault of each thing that can break: the next one waits for its end. */
  readonly #busy = new Map<string, Promise<void>>();

  private constructor(faults: FaultStack, ways: Readonly<Record<StoreName, TcpProxy>>) {
    this.faults = faults;
    this.#ways = ways;
  }

  static async start(): Promise<Fleet> {
    const ways: Partial<Record<StoreName, TcpProxy>> = {};
    const through = async (name: StoreName, url: string): Promise<string> => {
      const way = await TcpProxy.start(Number(new URL(url).port));
      ways[name] = way;
      return `${name === 'redis' ? 'redis' : 'mongodb'}://127.0.0.1:${way.port}`;
    };
    const faults = await FaultStack.start({
      ...{ apis: 2, pods: 3, markets: 2, jobs: 1, durability: 'always' },
      entries: { api: entry, actors: entry, market: entry, jobs: entry },
      redisThrough: (url) => through('redis', url),
      mongoThrough: (url) => through('mongo', url),
    });
    return new Fleet(faults, ways as Record<StoreName, TcpProxy>);
  }

  get targets(): Targets {
    return { processes: [...this.faults.stack.processes.keys()].toSorted(), shards: SHARDS, masters: 0 };
  }

  /** Lets a fault happen, once the one before it has ended at the same place. Resolves when it has ended itself. */
  inflict(fault: Fault): Promise<void> {
    const place = 'process' in fault ? fault.process : 'store' in fault ? fault.store : 'cluster';
    const ended = (this.#busy.get(place) ?? Promise.resolve()).then(() => this.#inflict(fault));
    this.#busy.set(place, ended);
    return ended;
  }

  /** All that still lasts of a round ends. */
  heal(): void {
    for (const one of this.faults.stack.processes.values()) one.setClock(0);
    for (const way of Object.values(this.#ways)) {
      way.delay(0);
      way.mend();
    }
  }

  async stop(): Promise<void> {
    await this.faults.stop();
    await Promise.all(Object.values(this.#ways).map((way) => way.close()));
  }

  async #inflict(fault: Fault): Promise<void> {
    const { stack } = this.faults;
    switch (fault.type) {
      case 'kill':
      case 'leave':
        await stack.kill(fault.process, fault.type === 'kill' ? 'SIGKILL' : 'SIGTERM');
        await pause(fault.backMs);
        return stack.restart(fault.process);
      case 'sleep':
        await stack.kill(fault.process, 'SIGSTOP');
        await pause(fault.forMs);
        return stack.kill(fault.process, 'SIGCONT');
      case 'blackHole': {
        // Its name stands in what it says first on each connection.
        this.#ways[fault.store].blackHole((greeting) => greeting.includes(`${fault.process}-`));
        return;
      }
      case 'clock':
        stack.process(fault.process).setClock(fault.aheadMs);
        await pause(fault.forMs);
        return stack.process(fault.process).setClock(0);
      case 'moveSlot':
      case 'killMaster':
        throw new Error(`${fault.type} is a fault of a cluster`);
      default:
        return this.#inflictOnStore(fault);
    }
  }

  async #inflictOnStore(fault: Extract<Fault, { store: StoreName }>): Promise<void> {
    const { stack } = this.faults;
    const { store } = fault;
    const way = this.#ways[store];
    switch (fault.type) {
      case 'killStore':
        await (store === 'redis' ? stack.redisStore : stack.mongoStore).kill();
        await pause(fault.backMs);
        return store === 'redis' ? stack.restartRedis() : stack.restartMongo();
      case 'stall': {
        const { pid } = store === 'redis' ? stack.redisStore : stack.mongoStore;
        process.kill(pid, 'SIGSTOP');
        await pause(fault.forMs);
        process.kill(pid, 'SIGCONT');
        return;
      }
      case 'slow':
        way.delay(fault.delayMs);
        await pause(fault.forMs);
        return way.delay(0);
      case 'away':
        way.refuse();
        await pause(fault.forMs);
        return way.mend();
      case 'cut':
        if (fault.losesForMs > 0) way.loseAnswers();
        await pause(fault.losesForMs);
        return way.cut();
      default:
        return;
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
