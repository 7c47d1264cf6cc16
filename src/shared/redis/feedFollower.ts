// Follows the market leader's channel. It loads the whole state and hands over each message in order. When a message
// is missing, the leader changed or the connection broke, it loads again and reads the missed trades from the tick
// stream. The API and the actors use it; it knows the frame of a message and nothing of its content.

import { NewerFormat } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import { Retrying } from '../retrying.ts';
import { openSubscriptions } from './channels.ts';
import { marketKeys } from './keys.ts';
import type { Redis } from './redis.ts';
import { Script } from './script.ts';
import type { ChannelSubscriptions } from './subscriptions.ts';

/**
 * One message on the feed channel. `seq` rises by one per message of one leader; a follower that sees another leader or a
 * gap reloads the whole state and reads the trades that it missed from the tick stream.
 */
export interface Message<Change> {
  readonly leader: string;
  readonly seq: number;
  readonly changes: readonly Change[];
}

/** A message of the market's feed; `leader` names its sender. */
export interface MarketPosition {
  readonly leader: string;
  readonly seq: number;
}

export interface Loaded<Trades> {
  /** The hash `{mkt}:state`, field -> JSON. */
  readonly fields: Readonly<Record<string, string>>;
  /** The newest tick that the state includes. */
  readonly tick: string;
  /** Trades between the last one handed over and `tick`, oldest first, with their ticks; none at the first load. */
  readonly missed: readonly Trades[];
}

/** How the texts of the market's messages and trades are read. Both throw {NewerFormat} for what a newer build has written. */
export interface FeedForms<Change, Trades> {
  readMessage(text: string): Message<Change>;
  readTrades(text: string, tick: string): Trades;
}

export interface FollowerHandlers<Change, Trades> {
  onLoad(loaded: Loaded<Trades>): void;
  onMessage(message: Message<Change>): void;
}

/** Messages kept while a load is under way; past it the load starts over. */
const BUFFERED_MESSAGES_MAX = 10_000;
/** Entries read from the tick stream at once. */
const TICK_PAGE = 1000;
const RETRYING = new Retrying('market_state', { firstMs: 500 });

const readStateScript = new Script(
  'readFeed',
  `
-- Reads what the leader has written last. KEYS  state, sequence. Answers {state, sequence}, each as field and value in turn.
-- Atomic because the sequence says which messages the state includes. Not by MULTI, which a full Redis refuses.
return {redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])}
`,
);

interface FollowerParts<Change, Trades> {
  readonly log: Logger;
  readonly redis: Redis;
  /** Of a `Subscriber`; not closed here. */
  readonly subscriber: Redis;
  readonly forms: FeedForms<Change, Trades>;
  readonly handlers: FollowerHandlers<Change, Trades>;
}

export class FeedFollower<Change, Trades extends Change> {
  readonly #parts: FollowerParts<Change, Trades>;
  readonly #subscriptions: ChannelSubscriptions;
  #position: MarketPosition | undefined;
  #tick: string | undefined;
  /** Messages that arrived during a load; undefined when none is under way. */
  #buffer: Message<Change>[] | undefined;
  #reloadWanted = false;
  /** The newest message was written by a newer build. */
  #isUnreadable = false;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  #firstLoad: (() => void)[] = [];
  /** Called when a load has shown what there is. */
  #onLooked: () => void = () => undefined;

  constructor(parts: FollowerParts<Change, Trades>) {
    this.#parts = parts;
    this.#subscriptions = openSubscriptions(parts.subscriber, {
      onMessage: (_channel, text) => this.#onText(text),
      // Messages published meanwhile are lost, so the state is loaded.
      onBack: () => this.#reload(),
    });
  }

  /**
   * Subscribes and loads. Resolves when it has the state, or none that can be read is there: who asks before would take a
   * market that is not loaded for one without coins.
   */
  async start(): Promise<void> {
    await this.#subscriptions.subscribe(marketKeys.feed);
    const looked = new Promise<void>((resolve) => (this.#onLooked = resolve));
    this.#reload();
    await looked;
  }

  /** The newest message that was handed over, or that a load has included. */
  get position(): MarketPosition | undefined {
    return this.#position;
  }

  /** Resolves at the first load that found a leader's state. */
  loaded(): Promise<void> {
    if (this.#position !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#firstLoad.push(resolve));
  }

  async stop(): Promise<void> {
    this.#closed = true;
    this.#onLooked();
    clearTimeout(this.#retry);
    await this.#subscriptions.stop();
  }

  #onText(text: string): void {
    if (this.#closed) return;
    try {
      const message = this.#parts.forms.readMessage(text);
      this.#isUnreadable = false;
      this.#onMessage(message);
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      // The view grows old, and what is old fills nothing, until a newer build takes over here or an older one leads again.
      if (!this.#isUnreadable) this.#parts.log.error({ reason: error.message }, 'market feed cannot be read');
      this.#isUnreadable = true;
      this.#reload();
    }
  }

  #onMessage(message: Message<Change>): void {
    if (this.#buffer !== undefined) {
      this.#buffer.push(message);
      if (this.#buffer.length > BUFFERED_MESSAGES_MAX) {
        this.#buffer = [];
        this.#reloadWanted = true;
      }
      return;
    }
    const position = this.#position;
    if (position === undefined || position.leader !== message.leader || message.seq > position.seq + 1) {
      this.#parts.log.info(
        { from: position, to: { leader: message.leader, seq: message.seq } },
        'market feed has a gap, loading',
      );
      this.#reloadKeeping([message]);
      return;
    }
    if (message.seq === position.seq + 1) this.#handOver(message);
  }

  #handOver(message: Message<Change>): void {
    this.#position = { leader: message.leader, seq: message.seq };
    for (const change of message.changes) {
      const { tick } = change as { readonly tick?: string };
      if (tick !== undefined) this.#tick = tick;
    }
    this.#parts.handlers.onMessage(message);
  }

  readonly #reload = (): void => {
    if (this.#closed) return;
    if (this.#buffer !== undefined) {
      this.#reloadWanted = true;
      return;
    }
    this.#reloadKeeping([]);
  };

  /** Loads; `messages` are handed over after it, as far as the state does not include them. */
  #reloadKeeping(messages: Message<Change>[]): void {
    this.#buffer = messages;
    clearTimeout(this.#retry);
    this.#load().catch((error: Error) => {
      this.#parts.log.warn({ reason: error.message }, 'market state could not be loaded, trying again');
      if (error instanceof NewerFormat) this.#onLooked();
      this.#later();
    });
  }

  async #load(): Promise<void> {
    const [state, head] = await this.#readState();
    const { leader, seq, tick } = head;
    const { meta } = state;
    if (this.#closed) return;
    if (leader === undefined || seq === undefined || meta === undefined) {
      this.#parts.log.debug('no market leader has written a state yet');
      this.#onLooked();
      this.#later();
      return;
    }
    const reached = tick ?? '0-0';
    const missed = this.#tick === undefined ? [] : await this.#readTicks(this.#tick, reached);
    if (this.#closed) return;
    this.#position = { leader, seq: Number(seq) };
    this.#tick = reached;
    const buffered = this.#buffer ?? [];
    this.#buffer = undefined;
    this.#parts.handlers.onLoad({ fields: state, tick: reached, missed });
    for (const resolve of [this.#onLooked, ...this.#firstLoad.splice(0)]) resolve();
    for (const message of buffered) if (!this.#isPast(message)) this.#onMessage(message);
    if (this.#reloadWanted) {
      this.#reloadWanted = false;
      this.#reload();
    }
  }

  /** A buffered message that the loaded state includes, or one of a leader before it. */
  #isPast(message: Message<Change>): boolean {
    const position = this.#position;
    if (this.#buffer !== undefined || position === undefined) return false;
    return message.leader === position.leader && message.seq <= position.seq;
  }

  async #readState(): Promise<[Record<string, string>, Record<string, string>]> {
    const answer = await readStateScript.run(this.#parts.redis, [marketKeys.state, marketKeys.sequence], []);
    const [state, head] = answer as [string[], string[]];
    return [toRecord(state), toRecord(head)];
  }

  /** Trades after `from` up to and including `to`. */
  async #readTicks(from: string, to: string): Promise<Trades[]> {
    const trades: Trades[] = [];
    let after = from;
    for (;;) {
      const page = await this.#parts.redis.xrange(marketKeys.ticks, `(${after}`, to, 'COUNT', TICK_PAGE);
      for (const [tick, fields] of page) {
        const json = fields[1];
        if (fields[0] === 'd' && json !== undefined) trades.push(this.#parts.forms.readTrades(json, tick));
        after = tick;
      }
      if (page.length < TICK_PAGE) return trades;
    }
  }

  #later(): void {
    this.#buffer = undefined;
    if (this.#closed) return;
    this.#retry = setTimeout(this.#reload, RETRYING.nextMs());
  }
}

/** @param pairs fields and values in turn */
function toRecord(pairs: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let i = 0; i < pairs.length; i += 2) record[pairs[i] as string] = pairs[i + 1] as string;
  return record;
}
