// A private channel of events: every entry of the account's journal, in order, none twice, none left out. A
// subscription begins with an answer of the account, which names its newest entry, and continues with the entries
// after it.
import type { HistoryKind } from '../../../actors/domain/messages/command.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { type Channel, identityOf, type OpenSubscription, type Subscriber } from '../channel/channel.ts';
import { closeCodes } from '../closeCodes.ts';
import { toMessage } from '../message.ts';
import type { AccountAnswers } from './accountAnswers.ts';
import type { AccountFeeds, UpdateListener } from './accountFeeds.ts';
import { type AccountSubscription, addressOf } from './accountSubscription.ts';
import type { AccountUpdate } from './accountUpdate.ts';
import { replay } from './replay.ts';

/** Entries, and their rows, that may wait while a subscription is being opened, which takes seconds at most, or catches up. */
const WAITING_MAX = 10_000;
const WAITING_ROWS_MAX = 30_000;
/** How often a client that reads the past slowly is checked, ms. */
const CATCH_UP_MS = 10;

/** The messages of a channel, in the venue's form. */
export interface RowChannel<S extends AccountSubscription> {
  readonly type: S['type'];
  /** Name of the channel in its messages; absent = its type. */
  readonly name?: string;
  /** The kinds of rows that its messages are made of. */
  readonly kinds: readonly HistoryKind[];
  /** @throws {RequestError} when the subscription cannot be read */
  readonly read: (sent: object) => S;
  /** The first message, which shows the past. Absent: the first message is the next event. */
  readonly snapshot?: (subscription: S, call: Call, services: Services) => Promise<object>;
  /** The messages of an entry. `user` is the address to repeat. */
  readonly messages: (update: AccountUpdate, context: MessageContext<S>) => readonly unknown[];
}

export interface MessageContext<S> {
  readonly subscription: S;
  readonly user: string;
  readonly services: Services;
}

export interface PrivateParts {
  readonly answers: AccountAnswers;
  readonly feeds: AccountFeeds;
}

/** An update as messages, made when the first subscriber needs them. */
interface PreparedUpdate {
  readonly seq: number;
  readonly rows: number;
  readonly messages: () => readonly Buffer[];
}

export function rowStream<S extends AccountSubscription>(channel: RowChannel<S>, { answers, feeds }: PrivateParts): Channel {
  const { services } = answers;
  const rooms = new Map<string, SharedUpdates>();

  const toMessages = (update: AccountUpdate, subscription: S, user: string): readonly Buffer[] => {
    const { seq } = update;
    const messages = channel.messages(update, { subscription, user, services });
    return messages.map((data, index) => {
      const hasMore = index < messages.length - 1;
      return toMessage(channel.name ?? channel.type, data, hasMore ? { seq, more: true } : { seq });
    });
  };

  const open = async (subscription: S, subscriber: Subscriber): Promise<OpenSubscription> => {
    const hasPast = subscription.fromSeq != null || channel.snapshot !== undefined;
    const endTurn = hasPast ? await subscriber.waitForTurn() : () => undefined;
    const call = subscriber.call();
    const { accountId } = call.caller;
    const user = addressOf(subscription, call);
    const identity = `${accountId} ${identityOf(subscription)}`;
    const room = rooms.get(identity) ?? new SharedUpdates((update) => toMessages(update, subscription, user));
    rooms.set(identity, room);
    const listener = new RowSubscription(subscriber, endTurn);
    const close = (): void => {
      listener.stop();
      room.listeners.delete(listener);
      if (room.listeners.size > 0) return;
      feeds.leave(accountId, room);
      if (rooms.get(identity) === room) rooms.delete(identity);
    };
    room.listeners.add(listener);
    try {
      // Asked at once: the effect of what the client sends next comes after the subscription.
      const [fromSeq] = await Promise.all([beginsAfter(subscription, call), feeds.listen(accountId, room)]);
      const { messages, seq } = await beginning(subscription, { call, user, fromSeq });
      return { seq: fromSeq ?? seq, close, start: () => listener.start(messages, seq) };
    } catch (error) {
      close();
      throw error;
    }
  };

  /** The sequence number after which entries are sent one by one; undefined where a snapshot shows the past. */
  const beginsAfter = async ({ fromSeq }: S, call: Call): Promise<number | undefined> => {
    if (fromSeq != null) return fromSeq;
    if (channel.snapshot !== undefined) return undefined;
    return (await answers.entries(call, Number.MAX_SAFE_INTEGER)).seq;
  };

  /** The first messages, read while the journal is already being followed. */
  const beginning = async (
    subscription: S,
    { call, user, fromSeq }: { call: Call; user: string; fromSeq: number | undefined },
  ): Promise<{ messages: Buffer[]; seq: number }> => {
    const { kinds, snapshot } = channel;
    if (fromSeq !== undefined || snapshot === undefined) {
      const { updates, seq } = await replay(answers, call, { kinds, afterSeq: fromSeq ?? 0 });
      return { messages: updates.flatMap((update) => toMessages(update, subscription, user)), seq };
    }
    const withHash = subscription.stateHash === true;
    const { data, last } = await answers.read((reading) => snapshot(subscription, call, reading), { withHash });
    return { messages: [toMessage(channel.name ?? channel.type, data, last)], seq: last.seq };
  };

  return { type: channel.type, read: channel.read, open };
}

/** All subscriptions of one node with the same messages, which are made once. */
class SharedUpdates implements UpdateListener {
  readonly listeners = new Set<RowSubscription>();
  readonly #toMessages: (update: AccountUpdate) => readonly Buffer[];

  constructor(toMessages: (update: AccountUpdate) => readonly Buffer[]) {
    this.#toMessages = toMessages;
  }

  onUpdate(update: AccountUpdate): void {
    let made: readonly Buffer[] | undefined;
    const said: PreparedUpdate = {
      seq: update.seq,
      rows: update.rows.length,
      messages: () => {
        made ??= this.#toMessages(update);
        return made;
      },
    };
    for (const listener of [...this.listeners]) listener.onPrepared(said);
  }

  onBroken(): void {
    for (const listener of [...this.listeners]) listener.onBroken();
  }
}

/** One subscription: first what was before it, as fast as the client reads, and then what follows. */
class RowSubscription {
  readonly #subscriber: Subscriber;
  #past: readonly Buffer[] = [];
  #pastSent = 0;
  /** Updates since the subscription was requested; undefined once all of them are sent. */
  #waiting: PreparedUpdate[] | undefined = [];
  #waitingRows = 0;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #onPastSent: () => void;

  constructor(subscriber: Subscriber, onPastSent: () => void) {
    this.#subscriber = subscriber;
    this.#onPastSent = onPastSent;
  }

  /** @param seq updates at or below it are in `past` */
  start(past: readonly Buffer[], seq: number): void {
    this.#past = past;
    this.#seq = seq;
    this.#catchUp();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#onPastSent();
  }

  onPrepared(said: PreparedUpdate): void {
    if (this.#waiting === undefined) {
      this.#say(said);
      return;
    }
    this.#waitingRows += said.rows;
    if (this.#waiting.length < WAITING_MAX && this.#waitingRows <= WAITING_ROWS_MAX) this.#waiting.push(said);
    else this.#subscriber.close(closeCodes.slow);
  }

  onBroken(): void {
    this.#subscriber.close(closeCodes.broken);
  }

  #catchUp(): void {
    let next: PreparedUpdate | undefined;
    while (!this.#subscriber.isSlow()) {
      const past = this.#past[this.#pastSent];
      if (past !== undefined) {
        this.#subscriber.send(past);
        this.#pastSent += 1;
        continue;
      }
      next = this.#waiting?.shift();
      if (next === undefined) {
        this.#past = [];
        this.#waiting = undefined;
        this.#onPastSent();
        return;
      }
      this.#waitingRows -= next.rows;
      this.#say(next);
    }
    this.#timer = setTimeout(() => this.#catchUp(), CATCH_UP_MS);
  }

  #say(said: PreparedUpdate): void {
    if (said.seq <= this.#seq) return;
    if (said.seq !== this.#seq + 1) {
      this.onBroken();
      return;
    }
    this.#seq = said.seq;
    for (const message of said.messages()) this.#subscriber.send(message);
  }
}
