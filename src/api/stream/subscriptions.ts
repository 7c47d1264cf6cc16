// The subscriptions of one socket: opened, confirmed, refused in the venue's words, closed. Frames about one
// subscription are handled in their order; other subscriptions do not wait for them.
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '../../shared/errors.ts';
import { SerialQueue } from '../../shared/waiting.ts';
import type { Caller } from '../access/keyRecord.ts';
import type { Call, OwnAccounts } from '../accounts/services.ts';
import type { SubscriptionFrame } from '../domain/frame.ts';
import { weightOfPast, weightOfSubscription } from '../domain/requestPrice.ts';
import {
  type CloseCode,
  identityOf,
  type OpenSubscription,
  type PricedChannel,
  type Subscriber,
  type Subscription,
} from './channel/channel.ts';
import { toMessage } from './channel/message.ts';
import type { SubscriptionMeter, UserSubscriptions } from './limits.ts';
import type { SocketSends } from './outbox.ts';

/** How soon it is looked again whether the key has weight left for more of a past, ms. */
const WEIGHT_AGAIN_MS = 500;

export interface SubscriptionsParts {
  readonly channels: ReadonlyMap<string, PricedChannel>;
  readonly outbox: SocketSends;
  /** Subscriptions of this socket, and of all sockets of its user. */
  readonly max: () => { readonly ofSocket: number; readonly ofUser: number };
  readonly ofUser: UserSubscriptions;
  readonly meter: SubscriptionMeter;
  readonly call: () => Call;
  readonly ownAccounts: Pick<OwnAccounts, 'shown' | 'isOwn'>;
  /** Closes the socket. */
  readonly close: (why: CloseCode) => void;
  /** The error that the client may see; logs the failure itself. */
  readonly toRequestError: (error: unknown) => RequestError;
}

type NamedAccount = Pick<Caller, 'accountId' | 'address'>;

/** One subscription, from the moment it is asked for. */
interface Held {
  readonly channel: PricedChannel;
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
  #isOver = false;
  /** Subscriptions that are being counted. */
  readonly #counting = new Set<Promise<unknown>>();

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
  }

  /** Resolves when the subscriptions asked for so far have been counted and begun. */
  get begun(): Promise<unknown> {
    return Promise.allSettled(this.#counting);
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
    this.#isOver = true;
    for (const held of this.#held.values()) this.#end(held);
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
    const { max, ofUser } = this.#parts;
    // It has waited for its turn while the socket was closed.
    if (this.#isOver) return undefined;
    const most = max();
    if (this.#held.has(identity)) return this.#sayError(`Already subscribed: ${held.text}`);
    if (this.#held.size >= most.ofSocket) return this.#sayError(`Cannot subscribe to more than ${most.ofSocket} channels.`);
    const refusal = ofUser.take(held.subscription, most.ofUser, this.#isOwn);
    if (refusal !== undefined) return this.#sayError(refusal);
    this.#held.set(identity, held);
    return this.#open(held).then(
      (opened) => this.#start(held, opened),
      (error: unknown) => this.#refuse(identity, held, error),
    );
  }

  /** What the client sends next comes after the subscription, so it waits for the counting and not for the opening. */
  async #open(held: Held): Promise<OpenSubscription> {
    const counted = this.#count(held);
    this.#counting.add(counted);
    let account: NamedAccount;
    try {
      account = await counted;
    } finally {
      this.#counting.delete(counted);
    }
    return held.channel.open(held.subscription, this.#subscriberOf(held, account));
  }

  /** @returns the account that the subscription is about */
  async #count({ channel, subscription }: Held): Promise<NamedAccount> {
    const { meter, call, ownAccounts } = this.#parts;
    await meter.admit(weightOfSubscription(subscription, channel.weight));
    const shown = ownAccounts.shown(call(), (subscription as { readonly user?: string | null }).user);
    const { accountId, address } = (shown instanceof Promise ? await shown : shown).caller;
    return { accountId, address };
  }

  #unsubscribe(identity: string, { subscription, text }: Held): undefined {
    const held = this.#held.get(identity);
    if (held === undefined) return this.#sayError(`Already unsubscribed: ${text}`);
    this.#held.delete(identity);
    this.#end(held);
    this.#parts.outbox.sendsOf(held.channel).forget(held);
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
    this.#end(held);
    if (code === 'unknown_coin') this.#sayError(`Invalid subscription ${held.text}`);
    else this.#sayInvalid(held.text, message);
  }

  /** Clients take the text between the outermost braces for the subscription. */
  #sayInvalid(text: string, reason: string): undefined {
    return this.#sayError(`Invalid subscription ${text}: ${reason.replace(/[{}]/g, '')}`);
  }

  /** Whether messages about the address are of an account of its own. */
  readonly #isOwn = (address: string): boolean => this.#parts.ownAccounts.isOwn(this.#parts.call().caller, address);

  /** @param account whose messages it gets; the plan may change meanwhile, the account does not */
  #subscriberOf(held: Held, account: NamedAccount): Subscriber {
    const { outbox, close, meter } = this.#parts;
    const sends = outbox.sendsOf(held.channel);
    return {
      call: () => {
        const call = this.#parts.call();
        return { ...call, caller: { ...call.caller, ...account } };
      },
      close,
      pay: async (rows) => {
        await meter.add(weightOfPast(rows));
        while (!meter.hasLeft() && !held.isOver) await sleep(WEIGHT_AGAIN_MS);
      },
      isSlow: () => outbox.isSlow,
      waitForTurn: async () => {
        const end = await this.#pasts.take();
        if (!held.isOver) return end;
        end();
        throw new RequestError(503, 'going_away', 'The subscription is over.');
      },
      send: (message) => sends.send(held, message),
      latest: (message) => sends.latest(held, message),
      seal: () => sends.seal(held),
    };
  }

  #end(held: Held): void {
    held.isOver = true;
    held.opened?.close();
    this.#parts.ofUser.release(held.subscription);
  }

  #sayError(text: string): undefined {
    this.#parts.outbox.send(toMessage('error', text));
  }
}
