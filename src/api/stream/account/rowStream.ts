// A private channel of events: every entry of the account's journal, in order, none twice, none left out. A
// subscription begins with an answer of the account, which names its newest entry, and continues with the entries
// after it.
import type { HistoryKind } from '../../../actors/core/messages/historyRows.ts';
import { assert } from '../../../shared/domain/assert.ts';
import type { AccountAnswers } from '../../accounts/accountAnswers.ts';
import { askWithSeq, type Call, type Services } from '../../accounts/services.ts';
import { identityOf, type OpenSubscription, type Serving, type Subscriber } from '../channel/channel.ts';
import { toMessage } from '../channel/message.ts';
import type { AccountFeeds, AccountUpdate, UpdateListener } from './accountFeeds.ts';
import {
  type AccountSubscription,
  addressOf,
  type PastPages,
  type PreparedUpdate,
  RowSubscription,
} from './accountSubscription.ts';
import { replay } from './replay.ts';

/** The messages of a channel, in the venue's form. */
export interface RowChannel<S extends AccountSubscription> {
  /** Name of the channel in its messages; absent = its type. */
  readonly name?: string;
  /** The kinds of rows that its messages are made of. */
  readonly kinds: readonly HistoryKind[];
  /** The first message, which shows the past. Absent: the first message is the next event. */
  readonly snapshot?: (subscription: S, call: Call, services: Services) => Promise<object>;
  /** The messages of an entry. `user` is the address to repeat. */
  readonly messages: (update: AccountUpdate, context: MessageContext<S>) => readonly unknown[];
}

export interface MessageContext<S> {
  readonly subscription: S;
  readonly user: string;
  /** Whose entry it is. */
  readonly accountId: string;
  readonly services: Services;
}

export interface PrivateParts {
  readonly answers: AccountAnswers;
  readonly feeds: AccountFeeds;
}

export function rowStream<S extends AccountSubscription>(channel: RowChannel<S>, { answers, feeds }: PrivateParts): Serving<S> {
  const { services } = answers;
  const rooms = new Map<string, SharedUpdates>();

  const toMessages = (
    update: AccountUpdate,
    subscription: S,
    names: Pick<MessageContext<S>, 'user' | 'accountId'>,
  ): readonly Buffer[] => {
    const { seq } = update;
    const messages = channel.messages(update, { subscription, ...names, services });
    return messages.map((data, index) => {
      const hasMore = index < messages.length - 1;
      return toMessage(channel.name ?? subscription.type, data, hasMore ? { seq, more: true } : { seq });
    });
  };

  const open = async (subscription: S, subscriber: Subscriber): Promise<OpenSubscription> => {
    const hasPast = subscription.fromSeq != null || channel.snapshot !== undefined;
    const endTurn = hasPast ? await subscriber.waitForTurn() : () => undefined;
    const call = subscriber.call();
    const { accountId } = call.caller;
    const user = addressOf(subscription, call);
    const identity = `${accountId} ${identityOf(subscription)}`;
    const room = rooms.get(identity) ?? new SharedUpdates((update) => toMessages(update, subscription, { user, accountId }));
    rooms.set(identity, room);
    const listener = new RowSubscription(subscriber, endTurn);
    const onError = (error: unknown): void => services.log.debug({ err: error }, 'the past of an account could not be read on');
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
      const past = pastOf(subscription, { call, user, fromSeq });
      const first = (await past.next()).value;
      assert(first, 'a past has at least one page');
      return { seq: fromSeq ?? first.seq, close, start: () => listener.start(first, past, onError) };
    } catch (error) {
      close();
      throw error;
    }
  };

  /** The sequence number after which entries are sent one by one; undefined where a snapshot shows the past. */
  const beginsAfter = async ({ fromSeq }: S, call: Call): Promise<number | undefined> => {
    if (fromSeq != null) return fromSeq;
    if (channel.snapshot !== undefined) return undefined;
    return (await askWithSeq(call, answers.services, { kind: 'entries', afterSeq: Number.MAX_SAFE_INTEGER })).seq;
  };

  /** What was before, read while the journal is already being followed. */
  async function* pastOf(
    subscription: S,
    { call, user, fromSeq }: { call: Call; user: string; fromSeq: number | undefined },
  ): PastPages {
    const { kinds, snapshot } = channel;
    const names = { user, accountId: call.caller.accountId };
    if (fromSeq !== undefined || snapshot === undefined) {
      for await (const page of replay(answers, call, { kinds, afterSeq: fromSeq ?? 0 })) {
        yield { ...page, updates: page.updates.map((update) => prepared(update, () => toMessages(update, subscription, names))) };
      }
      return;
    }
    const withHash = subscription.stateHash === true;
    const { data, last } = await answers.read((reading) => snapshot(subscription, call, reading), { withHash });
    const messages = () => [toMessage(channel.name ?? subscription.type, data, last)];
    yield { updates: [{ seq: last.seq, rows: rowsOfSnapshot(data), messages }], seq: last.seq, isLast: true };
  }

  return { open };
}

/** All subscriptions of one node with the same messages, which are made once. */
class SharedUpdates implements UpdateListener {
  readonly listeners = new Set<RowSubscription>();
  readonly #toMessages: (update: AccountUpdate) => readonly Buffer[];

  constructor(toMessages: (update: AccountUpdate) => readonly Buffer[]) {
    this.#toMessages = toMessages;
  }

  onUpdate(update: AccountUpdate): void {
    const said = prepared(update, () => this.#toMessages(update));
    for (const listener of [...this.listeners]) listener.onPrepared(said);
  }

  onBroken(): void {
    for (const listener of [...this.listeners]) listener.onBroken();
  }
}

/** Messages that are made once, when they are needed. */
function prepared({ seq, rows, ended }: AccountUpdate, make: () => readonly Buffer[]): PreparedUpdate {
  let made: readonly Buffer[] | undefined;
  return {
    seq,
    rows: rows.length + ended.length,
    messages: () => {
      made ??= make();
      return made;
    },
  };
}

/** A snapshot has one list. */
const rowsOfSnapshot = (data: object): number =>
  Object.values(data).reduce((rows: number, field: unknown) => rows + (Array.isArray(field) ? field.length : 0), 0);
