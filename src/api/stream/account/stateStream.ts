// A private channel of states: it sends the whole state at once, soon after each entry of the account's journal, and
// at intervals, because the mark moves the value of positions. Of several states only the newest counts, so a slow
// client may miss some. A client that asks for changes only is not sent again what it has.
import { createHash } from 'node:crypto';
import { Retrying } from '../../../shared/retrying.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { closeCodes, identityOf, type OpenSubscription, type Serving, type Subscriber } from '../channel/channel.ts';
import { textMessage } from '../channel/message.ts';
import type { UpdateListener } from './accountFeeds.ts';
import { addressOf, type StateSubscription } from './accountSubscription.ts';
import type { RefreshIntervals } from './refreshIntervals.ts';
import { requireReached } from './replay.ts';
import type { PrivateParts } from './rowStream.ts';

/** After a failure, ms. */
const RETRYING = new Retrying('account_state', { firstMs: 1000 });

export interface StateParts extends PrivateParts {
  /** One for all channels of the node. */
  readonly refreshIntervals: RefreshIntervals;
}

/** Reads the state; `user` is the address to repeat. @throws {RequestError} as the info types do */
export type ShowState = (
  subscription: StateSubscription,
  context: { user: string; call: Call; services: Services },
) => Promise<ShownState>;

interface ShownState {
  readonly data: object;
  /** Prices alone change it, so it is sent again soon. */
  readonly isMoving: boolean;
}

interface Shown extends Sent {
  readonly message: Buffer;
  readonly isMoving: boolean;
}

/** What is remembered of the last state that a subscriber got. */
interface Sent {
  readonly seq: number;
  /** Names the data; undefined where an equal state is sent again. A hash, because a state may have megabytes. */
  readonly data: string | undefined;
}

export function stateStream(showState: ShowState, { answers, feeds, refreshIntervals }: StateParts): Serving<StateSubscription> {
  const { log } = answers.services;
  const views = new Map<string, View>();

  const show = async (subscription: StateSubscription, call: Call): Promise<Shown> => {
    const user = addressOf(subscription, call);
    const { data: shown, first } = await answers.read((services) => showState(subscription, { user, call, services }), {
      withHash: subscription.stateHash === true,
    });
    const text = JSON.stringify(shown.data);
    return {
      seq: first.seq,
      data: subscription.onlyChanges === true ? createHash('sha256').update(text).digest('base64') : undefined,
      message: textMessage(subscription.type, text, first),
      isMoving: shown.isMoving,
    };
  };

  const open = async (subscription: StateSubscription, subscriber: Subscriber): Promise<OpenSubscription> => {
    const call = subscriber.call();
    const { accountId, userId } = call.caller;
    const { stateHash, onlyChanges } = subscription;
    const identity = `${accountId} ${stateHash === true} ${onlyChanges === true} ${identityOf(subscription)}`;
    const view =
      views.get(identity) ??
      new View({
        userId,
        refreshIntervals,
        show: (anySubscriber) => show(subscription, anySubscriber.call()),
        onError: (error) => log.debug({ err: error, channel: subscription.type }, 'a state could not be shown'),
      });
    views.set(identity, view);
    view.uses += 1;
    const close = (): void => {
      view.subscribers.delete(subscriber);
      view.uses -= 1;
      if (view.uses > 0) return;
      view.stop();
      feeds.leave(accountId, view);
      if (views.get(identity) === view) views.delete(identity);
    };
    try {
      await feeds.listen(accountId, view);
      const shown = await show(subscription, call);
      requireReached(subscription.fromSeq ?? 0, shown.seq);
      return {
        seq: shown.seq,
        close,
        start: () => {
          subscriber.latest(shown.message);
          view.add(subscriber, shown);
        },
      };
    } catch (error) {
      close();
      throw error;
    }
  };

  return { open };
}

interface ViewParts {
  readonly userId: string;
  readonly refreshIntervals: RefreshIntervals;
  readonly show: (subscriber: Subscriber) => Promise<Shown>;
  readonly onError: (error: unknown) => void;
}

/** All subscriptions of one node to the same state, which is read and made into a message once. */
class View implements UpdateListener {
  /** Each subscriber with the last state sent to it. */
  readonly subscribers = new Map<Subscriber, Sent>();
  /** Subscriptions, started or not. */
  uses = 0;
  readonly #parts: ViewParts;
  #newestSeq = 0;
  #isReading = false;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** An entry is going to be shown. */
  #isEntryDue = false;
  #isStopped = false;

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  /** Shows an entry soon that came while the subscription was being opened. */
  add(subscriber: Subscriber, shown: Shown): void {
    this.subscribers.set(subscriber, toSent(shown));
    this.#readAfter(shown);
  }

  onUpdate({ seq }: { readonly seq: number }): void {
    this.#newestSeq = seq;
    this.#showEntry();
  }

  onBroken(): void {
    for (const subscriber of [...this.subscribers.keys()]) subscriber.close(closeCodes.broken);
  }

  stop(): void {
    this.#isStopped = true;
    this.#parts.refreshIntervals.forget(this, this.#parts.userId);
    clearTimeout(this.#timer);
  }

  #readAfter({ seq, isMoving }: Shown): void {
    if (this.#isStopped) return;
    this.#readIn(this.#repeatMs(isMoving));
    if (seq < this.#newestSeq) this.#showEntry();
  }

  #repeatMs(isMoving: boolean): number {
    const { refreshIntervals, userId } = this.#parts;
    return refreshIntervals.nextMs(this, { userId, isMoving });
  }

  #showEntry(): void {
    if (this.#isStopped || this.#isEntryDue) return;
    this.#isEntryDue = true;
    const { refreshIntervals, userId } = this.#parts;
    this.#readIn(refreshIntervals.afterEntryMs(userId));
  }

  /** Plans a read in `ms`, unless an earlier one is planned. */
  #readIn(ms: number): void {
    const dueMs = performance.now() + ms;
    if (this.#isStopped || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => void this.#read(), ms);
  }

  async #read(): Promise<void> {
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#isEntryDue = false;
    if (this.#isReading) return;
    const [subscriber] = this.subscribers.keys();
    if (subscriber === undefined) return;
    this.#isReading = true;
    try {
      const shown = await this.#parts.show(subscriber);
      const sent = toSent(shown);
      for (const [one, last] of this.subscribers) {
        if (shown.seq < last.seq) continue;
        this.subscribers.set(one, sent);
        if (sent.data === undefined || sent.data !== last.data) one.latest(shown.message);
      }
      this.#readAfter(shown);
    } catch (error) {
      this.#parts.onError(error);
      if (!this.#isStopped) this.#readIn(Math.max(RETRYING.nextMs(), this.#repeatMs(true)));
    } finally {
      this.#isReading = false;
    }
  }
}

const toSent = ({ seq, data }: Shown): Sent => ({ seq, data });
