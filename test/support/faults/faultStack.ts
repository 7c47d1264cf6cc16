// An exchange that a scenario may break, with clients that trade on it meanwhile. All fault scenarios share it, from the first
// order to the verdict. Leases, delays and lags are short, so that the events of a long life happen in seconds.
import { FINAL_AFTER_DEADLINE_MS } from '../../../src/actors/core/messages/envelope.ts';
import type { JournalPositionDocument } from '../../../src/actors/engine/journal/journalPosition.ts';
import { isLaterTick } from '../../../src/market/domain/liveMarket.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { marketKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { type Stack, type StackOptions, startStack } from '../stack.ts';
import { until } from '../until.ts';
import { Bot } from './bot.ts';
import { checkAnswers, checkStored } from './checkAccount.ts';
import { checkArchive } from './checkArchive.ts';
import { checkJournals } from './checkJournals.ts';
import { checkOperations } from './checkOperations.ts';
import { setBooks, Trading } from './coins.ts';
import { JournalTap } from './journalTap.ts';
import { type AccountPast, pastOfAccount } from './pastOfAccount.ts';
import { Random } from './seeds.ts';
import { readStored } from './stored.ts';

/** Enough that by any hash each of two pods gets some. */
export const SHARDS = 16;
export const LEASE_TTL_MS = 1000;
const COMMAND_DEADLINE_MS = 2500;
/** Longest pauses of the bots, ms: one knows none, the others leave the machine some time for what happens meanwhile. */
const BREATHS_MS = [0, 60, 100];
/**
 * Bots of a load that leaves the machine to a fault which needs a witness only: the cost of the load grows with the time of the
 * fault.
 */
export const QUIET_BREATHS_MS = [200, 300];

/** An account that moves while it is looked at is looked at again. */
const ATTEMPTS_MAX = 5;

const ENV = {
  SHARDS: String(SHARDS),
  LEASE_TTL_MS: String(LEASE_TTL_MS),
  MARKET_LEASE_TTL_MS: '1000',
  COMMAND_DEADLINE_MS: String(COMMAND_DEADLINE_MS),
  HISTORY_DELAY_MS: '1000',
  JOURNAL_LAG_MS: '8000',
  MONGO_TIMEOUT_MS: '1000',
};

export class FaultStack {
  readonly stack: Stack;
  readonly tap: JournalTap;
  /** Names of the processes that run between scenarios. */
  readonly #roles: readonly string[];
  #load: Load | undefined;

  private constructor(stack: Stack) {
    this.stack = stack;
    this.#roles = [...stack.processes.keys()];
    this.tap = new JournalTap(stack.redis, SHARDS).start();
  }

  static async start(options: StackOptions = {}): Promise<FaultStack> {
    const stack = await startStack({ mongoInMemory: false, ...options, env: { ...ENV, ...options.env } });
    await setBooks(stack.market);
    return new FaultStack(stack);
  }

  async stop(): Promise<void> {
    await this.#mend();
    await this.tap.stop();
    await this.stack.stop();
  }

  /**
   * Bots on accounts of their own and trades in the market, all under way. Mends the state that an earlier scenario has left.
   * @param options.breathsMs longest pause of each bot, ms
   */
  async load(seed: number, { breathsMs = BREATHS_MS }: { breathsMs?: readonly number[] } = {}): Promise<Load> {
    await this.#mend();
    const random = new Random(seed);
    const bots = await Promise.all(
      breathsMs.map(async (breathMs) => {
        const own = new Random(random.whole(1, 2 ** 31));
        return new Bot(this.stack, await this.stack.register(), { random: own, breathMs });
      }),
    );
    for (const bot of bots) bot.start();
    const load = new Load(this, bots, new Trading(this.stack.market).start());
    this.#load = load;
    await load.progress(10);
    return load;
  }

  /** After a scenario that failed in the middle: ends its load, starts whatever it has ended. */
  async #mend(): Promise<void> {
    const { stack } = this;
    await this.#load?.end();
    if (!isRunning(stack.redisStore.pid)) await stack.restartRedis();
    if (!isRunning(stack.mongoStore.pid)) await stack.restartMongo();
    for (const { name } of stack.processes.values()) if (!this.#roles.includes(name)) await stack.process(name).end();
    for (const name of this.#roles) {
      if (stack.process(name).isRunning) await stack.kill(name, 'SIGCONT');
      else await stack.restart(name);
    }
    await stack.waitHealthy();
  }
}

export class Load {
  readonly bots: readonly Bot[];
  readonly trading: Trading;
  readonly #faults: FaultStack;

  constructor(faults: FaultStack, bots: readonly Bot[], trading: Trading) {
    this.#faults = faults;
    this.bots = bots;
    this.trading = trading;
  }

  /** Resolves when every bot has answers to so many more operations. */
  async progress(count: number): Promise<void> {
    const all = this.bots.map((bot) => bot.progress(count));
    await Promise.all(all).catch((error: Error) => {
      const lines = this.bots.map((bot) => `${bot.account.address}: ${bot.lastWords()}`);
      throw new Error(`A bot gets no further.\n${lines.join('\n')}\n${this.#faults.stack.lastLines()}`, { cause: error });
    });
  }

  /** Resolves when nobody sends any more. */
  async end(): Promise<void> {
    await Promise.all([...this.bots.map((bot) => bot.stop()), this.trading.stop()]);
  }

  /** Answers other than acknowledgements, counted by what was said. */
  troubles(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { told } of this.bots.flatMap(({ operations }) => operations)) {
      if (told.type === 'acknowledged' || told.type === 'waiting' || (told.type === 'undone' && told.status === 200)) continue;
      const name = told.type === 'unknown' ? 'unknown' : `${told.status} ${told.text.split(':')[0]}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Requests whose connection broke. */
  get brokenOff(): number {
    return this.bots.flatMap(({ operations }) => operations).filter(({ told }) => told.type === 'unknown' && !told.isAnswered)
      .length;
  }

  /** Errors that no pause of a busy machine brings: a command may be too late, or its answer, where nothing failed. */
  refusals(): Record<string, number> {
    const { unknown: _, '503 expired': __, ...refusals } = this.troubles();
    return refusals;
  }

  /**
   * Lets everybody trade on for a while after the fault, ends the load and compares everything with everything.
   * @param options.lostFromMs as in `OperationsChecked`
   */
  async verdict(options: { lostFromMs?: number } = {}): Promise<AccountPast[]> {
    const { stack, tap } = this.#faults;
    await stack.waitHealthy();
    await this.progress(10);
    await this.end();
    // Orders that the last trades have left inside the spread are filled by the next look at the books: it comes now.
    await setBooks(stack.market);
    const pasts: AccountPast[] = [];
    for (const bot of this.bots) pasts.push(await this.#whenStill(bot, () => this.#check(bot, options)));
    checkJournals(tap);
    return pasts;
  }

  /** The check's result. A check that fails runs again, where something has happened to the account during it. */
  async #whenStill(bot: Bot, check: () => Promise<AccountPast>): Promise<AccountPast> {
    const { tap } = this.#faults;
    for (let attempt = 1; ; attempt++) {
      await this.#settled();
      const entries = countOf(tap, bot);
      const checked = await check().catch((error: Error) => error);
      await tap.read();
      if (!(checked instanceof Error)) return checked;
      const isStill = countOf(tap, bot) === entries;
      if (isStill || attempt === ATTEMPTS_MAX) throw checked;
    }
  }

  async #check(bot: Bot, { lostFromMs }: { lostFromMs?: number }): Promise<AccountPast> {
    const { stack, tap } = this.#faults;
    const { address } = bot.account;
    const stored = await readStored(stack.mongo, address);
    const past = pastOfAccount(tap, address, stored.snapshot?.text ?? '');
    checkStored(past, stored);
    await checkAnswers(stack, bot.account, past);
    checkOperations({ bot, past, lostFromMs });
    await checkArchive(stack, address, { shards: SHARDS, mayBreak: lostFromMs !== undefined });
    return past;
  }

  /** Unknown outcomes are decided, no command waits, and MongoDB has everything: rows and the newest states. */
  async #settled(): Promise<void> {
    const { stack, tap } = this.#faults;
    const unknown = this.bots.flatMap(({ operations }) => operations.filter(({ told }) => told.type === 'unknown'));
    const settledAtMs = Math.max(0, ...unknown.map(({ sentAtMs }) => sentAtMs)) + COMMAND_DEADLINE_MS + FINAL_AFTER_DEADLINE_MS;
    await until(() => Date.now() > settledAtMs);
    const shards = tap.shards.map((_, shard) => shard);
    await until(async () => {
      const waiting = await Promise.all(shards.map((shard) => stack.redis.scard(shardKeys.pending(shard))));
      return waiting.every((count) => count === 0);
    });
    await until(() => this.#hasSeenAllTrades());
    let missing = '';
    const isWritten = async (): Promise<boolean> => {
      await tap.read();
      missing = (await Promise.all([this.#unwritten(), this.#withoutSnapshot()])).flat().join('; ');
      return missing === '';
    };
    await until(isWritten).catch((error: Error) => {
      throw new Error(`MongoDB never has everything: ${missing}\n${stack.lastLines()}`, { cause: error });
    });
  }

  /** No shard has a public trade before it that could still fill an order. */
  async #hasSeenAllTrades(): Promise<boolean> {
    const { redis } = this.#faults.stack;
    const [[last] = []] = await redis.xrevrange(marketKeys.ticks, '+', '-', 'COUNT', 1);
    const ticks = await Promise.all(this.#faults.tap.shards.map((_, shard) => redis.hget(shardKeys.head(shard), 'tick')));
    return ticks.every((tick) => last === undefined || (tick !== null && !isLaterTick(last, tick)));
  }

  async #unwritten(): Promise<string[]> {
    const { stack, tap } = this.#faults;
    const positions = await stack.mongo.db.collection<JournalPositionDocument>(collections.shards).find().toArray();
    return tap.shards.flatMap(({ commits }, shard) => {
      const [last, written] = [commits.at(-1)?.number ?? 0, positions.find(({ _id }) => _id === shard)?.commit ?? 0];
      return written >= last ? [] : [`shard ${shard} is written to ${written} of ${last}`];
    });
  }

  async #withoutSnapshot(): Promise<string[]> {
    const { stack, tap } = this.#faults;
    const late = await Promise.all(
      this.bots.map(async ({ account: { address } }) => {
        const { before, after } = tap.entriesOf(address);
        const last = (after.at(-1) ?? before.at(-1))?.seq ?? 0;
        const stored = await stack.mongo.db
          .collection<{ _id: string; seq: number }>(collections.accounts)
          .findOne({ _id: address });
        return (stored?.seq ?? 0) >= last ? [] : [`snapshot of ${address} is at ${stored?.seq} of ${last}`];
      }),
    );
    return late.flat();
  }
}

function countOf(tap: JournalTap, { account }: Bot): number {
  const { before, after } = tap.entriesOf(account.address);
  return before.length + after.length;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
}
