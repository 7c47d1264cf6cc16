// Writes what the leader has accepted into Redis and tells the followers, one message at a time (waitingChanges.ts), so memory is
// bounded by the coins and by the trades of one message.
import { randomBytes } from 'node:crypto';
import type { Format, FormatSource } from '../shared/domain/formats.ts';
import type { Logger } from '../shared/logger.ts';
import { marketKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { Script } from '../shared/redis/script.ts';
import { type AcceptedChange, messageEnd, type StoredTrades, writeChange } from './domain/feed.ts';
import type { MarketState } from './domain/marketState.ts';
import { type TakenChanges, WaitingChanges } from './domain/waitingChanges.ts';

/** Least time between two messages, ms; changes in between are collected. */
const FLUSH_MS = 6;
/** After a pause the first change waits this long for its companions (a book and its mids are two frames), ms. */
const MOMENT_MS = 2;
/** Without a change a message goes out this often, so that followers know that they are connected. */
const HEARTBEAT_MS = 1000;
/** How much of the tick stream is kept; five minutes are promised. */
const TICKS_KEPT_MS = 600_000;
/** Trades that wait while Redis does not answer. Past it the leader stops: its next message would leave a gap anyway. */
const WAITING_TRADES_MAX = 50_000;

interface PublisherParts {
  readonly log: Logger;
  readonly redis: Redis;
  readonly formats: FormatSource;
  /** The first message has it whole. */
  readonly state: MarketState;
  /** Of the lease; fences every write. */
  readonly token: string;
  readonly leaseTtlMs: number;
  readonly now: () => number;
  /** By Redis's clock, which names the entries of its streams. */
  readonly realNow: () => number;
  /** The lease is another's, or Redis was away for too long: the leader must stop. */
  readonly onLost: (reason: string) => void;
}

export class Publisher {
  readonly #parts: PublisherParts;
  readonly #waiting: WaitingChanges;
  /** The leader's name in its messages: the node and how often it had to write the whole state. */
  readonly #term = randomBytes(6).toString('hex');
  #incarnation = 1;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #lastFlushMs = 0;
  #stopped = false;
  readonly counters = { flushes: 0, trades: 0, changes: 0 };

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#waiting = new WaitingChanges(parts.state);
  }

  start(): void {
    this.#heartbeat = setInterval(() => {
      if (this.#parts.now() - this.#lastFlushMs >= HEARTBEAT_MS) this.#flushSoon();
    }, HEARTBEAT_MS);
    this.#flushSoon();
  }

  /** Takes a change that the state has accepted. */
  add(change: AcceptedChange): void {
    if (this.#stopped) return;
    this.#waiting.add(change);
    if (this.#waiting.tradeCount > WAITING_TRADES_MAX) this.#lose('too many trades wait for Redis');
    this.#flushSoon();
  }

  /** Writes what is waiting and stops. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    await this.#flushing;
    do await this.#flush();
    while (!this.#stopped && !this.#waiting.isEmpty);
    this.abandon();
  }

  /** Stops at once; what is waiting is forgotten. */
  abandon(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
  }

  #flushSoon(): void {
    if (this.#stopped || this.#timer !== undefined || this.#flushing !== undefined) return;
    const sinceLastMs = this.#parts.now() - this.#lastFlushMs;
    // A clock that was set back delays nothing.
    const waitMs = Math.min(Math.max(FLUSH_MS - sinceLastMs, MOMENT_MS), FLUSH_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = undefined;
        if (!this.#waiting.isEmpty) this.#flushSoon();
      });
    }, waitMs);
  }

  async #flush(): Promise<void> {
    const format = this.#parts.formats.current;
    const taken = this.#seq === 0 ? this.#waiting.takeWhole(format) : this.#waiting.take(format);
    this.#seq += 1;
    this.#lastFlushMs = this.#parts.now();
    await this.#write(taken, format);
  }

  async #write({ fields, trades, others }: TakenChanges, format: Format): Promise<void> {
    const { redis, token, leaseTtlMs, realNow } = this.#parts;
    let answer: unknown;
    try {
      const keys = [marketKeys.lease, marketKeys.state, marketKeys.sequence, marketKeys.ticks];
      answer = await publishScript.run(redis, keys, [
        token,
        `${this.#term}.${this.#incarnation}`,
        this.#seq,
        marketKeys.feed,
        `${realNow() - TICKS_KEPT_MS}-0`,
        leaseTtlMs,
        fields.length / 2,
        ...fields,
        trades.length,
        ...trades.map((change) => writeChange(change, format)),
        others.join(','),
        messageEnd(format),
      ]);
    } catch (error) {
      this.#lose(`Redis refuses to publish: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    if (answer === 'lost') this.#lose('another leader has the lease');
    else if (answer === 'behind') this.#startOver(trades);
    else {
      this.counters.flushes += 1;
      this.counters.trades += trades.length;
      this.counters.changes += others.length;
    }
  }

  /** Redis forgot what was written: everything again, as a new leader would. */
  #startOver(trades: readonly StoredTrades[]): void {
    this.#parts.log.warn('Redis has lost market state, writing it whole');
    this.#incarnation += 1;
    this.#seq = 0;
    this.#waiting.returnTrades(trades);
    this.#flushSoon();
  }

  #lose(reason: string): void {
    if (this.#stopped) return;
    this.abandon();
    this.#parts.onLost(reason);
  }
}

// The one script by which a leader writes: state, tick stream, numbered message and channel change together or not at all.
// KEYS  lease, state, sequence, ticks
// ARGV  token, leader, seq, channel, oldest tick id to keep, life of the lease in ms,
//       number of fields, then field and JSON of each,
//       number of trades changes, then JSON of each (objects without `tick`),
//       JSON of the other changes, joined by commas; what ends the message's text (`messageEnd`)
// Gives 'applied' (also for a number that was applied before: a resent call), 'lost' when the lease is another's, or
//       'behind' when the stored number is not the one before: Redis forgot something, and the leader must write all.
// A leader's message 1 replaces the state whole. A lease that ran out without another taking it is taken again, if no other
// leader has written since. Everything is checked before the first write.
// It runs when Redis has used up its memory too: what it writes has a bound, and without prices no order could be taken.
const publishScript = new Script(
  'publishMarket',
  `
local lease, state, sequence, ticks = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local leader, seq = ARGV[2], tonumber(ARGV[3])
local holder = redis.call('GET', lease)
local head = redis.call('HMGET', sequence, 'leader', 'seq')
if holder ~= ARGV[1] and (holder or head[1] ~= leader) then return 'lost' end
if head[1] == leader then
  if seq <= tonumber(head[2]) then return 'applied' end
  if seq ~= tonumber(head[2]) + 1 then return 'behind' end
elseif seq ~= 1 then return 'behind' end

if not holder then redis.call('SET', lease, ARGV[1], 'PX', ARGV[6]) end
if seq == 1 then redis.call('DEL', state) end
local at = 7
local last = at + tonumber(ARGV[at]) * 2
while at < last do
  redis.call('HSET', state, ARGV[at + 1], ARGV[at + 2])
  at = at + 2
end
at = at + 1
local parts, tick = {}, nil
last = at + tonumber(ARGV[at])
while at < last do
  at = at + 1
  tick = redis.call('XADD', ticks, 'MINID', '~', ARGV[5], '*', 'd', ARGV[at])
  parts[#parts + 1] = string.sub(ARGV[at], 1, -2) .. ',"tick":"' .. tick .. '"}'
end
local others = ARGV[at + 1]
if others ~= '' then parts[#parts + 1] = others end
redis.call('HSET', sequence, 'leader', leader, 'seq', seq)
if tick then redis.call('HSET', sequence, 'tick', tick) end
redis.call(PUBLISH, ARGV[4], '{"leader":"' .. leader .. '","seq":' .. seq .. ',"changes":[' .. table.concat(parts, ',') .. ']' .. ARGV[at + 2])
return 'applied'
`,
  { whenFull: 'runs' },
);
