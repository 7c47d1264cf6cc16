// The subscriptions of one socket: opened, confirmed, refused in the venue's words, closed. Frames about one
// subscription are handled in their order; other subscriptions do not wait for them.
import { RequestError } from '../../shared/errors.ts';
import type { Call } from '../accounts/services.ts';
import type { SubscriptionFrame } from '../domain/stream/frame.ts';
import { type Channel, identityOf, type OpenSubscription, type Subscriber, type Subscription } from './channel/channel.ts';
import type { CloseCode } from './closeCodes.ts';
import { toMessage } from './message.ts';
import type { Outbox } from './outbox.ts';
import { SerialQueue } from './serialQueue.ts';

/** Addresses that a socket may name, as at the venue. They also bound what waits for a client that does not read. */
const USERS_MAX = 10;

export interface SubscriptionsParts {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly outbox: Outbox;
  readonly subscriptionsMax: () => number;
  readonly call: () => Call;
  /** Closes the socket. */
  readonly close: (why: CloseCode) => void;
  /** The error that the client may see; logs the failure itself. */
  readonly toRequestError: (error: unknown) => RequestError;
}

/** One subscription, from the moment it is asked for. */
interface Held {
  readonly channel: Channel;
  readonly subscription: Subscription;
  /** The subscription's JSON as it was sent. */
  readonly text: string;
  opened?: OpenSubscription;
  isOver?: true;
}

export class Subscriptions {
  readonly #parts: SubscriptionsParts;
  readonly #held = new Map<string, Held>();
  /** Work in progress, by identity. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #pasts = new SerialQueue();

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
  }

  /** @returns false for an unknown type */
  onFrame({ type, subscription: sent, text }: SubscriptionFrame): boolean {
    const channel = this.#parts.channels.get((sent as Subscription).type);
    if (channel === undefined) return false;
    let subscription: Subscription;
    try {
      subscription = channel.read(sent);
    } catch (error) {
      const { status, message } = this.#parts.toRequestError(error);
      if (status < 500) this.#sayError(`Invalid subscription ${text}`);
      else this.#sayInvalid(text, message);
      return true;
    }
    const identity = identityOf(subscription);
    const asked: Held = { channel, subscription, text };
    this.#inTurn(identity, () => (type === 'subscribe' ? this.#subscribe(identity, asked) : this.#unsubscribe(identity, asked)));
    return true;
  }

  /** Sends a message from outside the channel. @returns false when the socket has no subscription to the channel */
  say(type: string, message: Buffer): boolean {
    for (const { channel, opened } of this.#held.values()) {
      if (channel.type !== type || opened === undefined) continue;
      this.#parts.outbox.send(message);
      return true;
    }
    return false;
  }

  /** Closes all subscriptions: the socket is gone, or about to be. */
  closeAll(): void {
    for (const held of this.#held.values()) end(held);
    this.#held.clear();
  }

  #inTurn(identity: string, step: () => Promise<void> | undefined): void {
    const before = this.#turns.get(identity);
    const turn = before === undefined ? step() : before.then(step);
    if (turn === undefined) return;
    const kept = turn.finally(() => {
      if (this.#turns.get(identity) === kept) this.#turns.delete(identity);
    });
    this.#turns.set(identity, kept);
  }

  #subscribe(identity: string, held: Held): Promise<void> | undefined {
    const max = this.#parts.subscriptionsMax();
    if (this.#held.has(identity)) return this.#sayError(`Already subscribed: ${held.text}`);
    if (this.#held.size >= max) return this.#sayError(`Cannot subscribe to more than ${max} channels.`);
    if (this.#usersWith(held).size > USERS_MAX) return this.#sayError(`Cannot track more than ${USERS_MAX} total users.`);
    this.#held.set(identity, held);
    try {
      const opened = held.channel.open(held.subscription, this.#subscriberOf(held));
      if (!(opened instanceof Promise)) return this.#start(held, opened);
      return opened.then(
        (later) => this.#start(held, later),
        (error: unknown) => this.#refuse(identity, held, error),
      );
    } catch (error) {
      return this.#refuse(identity, held, error);
    }
  }

  #unsubscribe(identity: string, { subscription, text }: Held): undefined {
    const held = this.#held.get(identity);
    if (held === undefined) return this.#sayError(`Already unsubscribed: ${text}`);
    this.#held.delete(identity);
    end(held);
    this.#parts.outbox.forget(held);
    this.#parts.outbox.send(toMessage('subscriptionResponse', { method: 'unsubscribe', subscription }));
  }

  #start(held: Held, opened: OpenSubscription): undefined {
    if (held.isOver) {
      opened.close();
      return;
    }
    held.opened = opened;
    const { subscription } = held;
    const { seq } = opened;
    const response = { method: 'subscribe', subscription };
    this.#parts.outbox.send(toMessage('subscriptionResponse', response, seq === undefined ? {} : { seq }));
    opened.start();
  }

  #refuse(identity: string, held: Held, error: unknown): undefined {
    const { code, message } = this.#parts.toRequestError(error);
    if (held.isOver) return;
    this.#held.delete(identity);
    if (code === 'unknown_coin') this.#sayError(`Invalid subscription ${held.text}`);
    else this.#sayInvalid(held.text, message);
  }

  /** Clients take the text between the outermost braces for the subscription. */
  #sayInvalid(text: string, reason: string): undefined {
    return this.#sayError(`Invalid subscription ${text}: ${reason.replace(/[{}]/g, '')}`);
  }

  #subscriberOf(held: Held): Subscriber {
    const { outbox, call, close } = this.#parts;
    return {
      call,
      close,
      isSlow: () => outbox.isSlow,
      waitForTurn: async () => {
        const end = await this.#pasts.take();
        if (!held.isOver) return end;
        end();
        throw new RequestError(503, 'going_away', 'The subscription is over.');
      },
      send: (message) => {
        outbox.forget(held);
        outbox.send(message);
      },
      latest: (message) => outbox.latest(held, message),
      seal: () => outbox.seal(held),
    };
  }

  #usersWith(asked: Held): Set<string> {
    const named = [...this.#held.values(), asked].map(({ subscription }) => (subscription as { user?: string | null }).user);
    return new Set(named.filter((user) => user != null));
  }

  #sayError(text: string): undefined {
    this.#parts.outbox.send(toMessage('error', text));
  }
}

function end(held: Held): void {
  held.isOver = true;
  held.opened?.close();
}
