// The limits of a socket: of its plan in this deployment, of every plan, of one minute, and of all sockets of its user together.
import type { Config } from '../../shared/config/config.ts';
import { type Plan, plans } from '../../shared/domain/plan.ts';
import { MINUTE_MS } from '../../shared/domain/units.ts';
import type { Admission } from '../access/admission.ts';
import type { KeyRecord } from '../access/keyRecord.ts';
import type { Subscription } from './channel/channel.ts';

/** Answers to posts that a socket may wait for, as at the venue. */
export const POSTS_MAX = 100;
/** The venue closes a connection to which it has sent nothing for this long, ms; clients ping more often. */
export const SILENCE_MS_MAX = 60_000;

/** Longest message that is no post, bytes; those of clients have some 150. Each subscription keeps its text. */
export const SHORT_MESSAGE_BYTES_MAX = 1024;

export interface StreamLimits extends PaceLimits {
  /** Sockets of one API key. */
  readonly socketsMax: number;
  /** Subscriptions of one socket. */
  readonly subscriptionsMax: number;
}

/** The pace of all sockets of a user on one node. */
export function paceOfUser({ messagesPerMinute, bytesPerMinute }: PaceLimits, plan: Plan): PaceLimits {
  const { apiKeysMax } = plans[plan];
  return { messagesPerMinute: apiKeysMax * messagesPerMinute, bytesPerMinute: apiKeysMax * bytesPerMinute };
}

/** Subscriptions of a socket, and of all sockets of a user on one node. */
export function subscriptionsMaxOf({ subscriptionsMax }: StreamLimits, plan: Plan): { ofSocket: number; ofUser: number } {
  return { ofSocket: subscriptionsMax, ofUser: plans[plan].apiKeysMax * subscriptionsMax };
}

export const streamLimits = (plan: Plan, config: Config): StreamLimits =>
  plan === 'pro'
    ? {
        socketsMax: config.PLAN_PRO_SOCKETS,
        subscriptionsMax: config.PLAN_PRO_SUBSCRIPTIONS,
        messagesPerMinute: config.PLAN_PRO_MESSAGES_PER_MINUTE,
        bytesPerMinute: config.PLAN_PRO_SOCKET_BYTES_PER_MINUTE,
      }
    : {
        socketsMax: config.PLAN_BASIC_SOCKETS,
        subscriptionsMax: config.PLAN_BASIC_SUBSCRIPTIONS,
        messagesPerMinute: config.PLAN_BASIC_MESSAGES_PER_MINUTE,
        bytesPerMinute: config.PLAN_BASIC_SOCKET_BYTES_PER_MINUTE,
      };

/**
 * What a client sends over its sockets in a minute: messages, and bytes in whatever form they come. Each socket has the
 * figures of its plan, and all sockets of a user on this node have as many times those figures as the plan has keys.
 */
interface PaceLimits {
  readonly messagesPerMinute: number;
  readonly bytesPerMinute: number;
}

/** The minute in progress of a socket or a user. */
export class MessageRate {
  #endsMs = 0;
  #messages = 0;
  #bytes = 0;

  /** True when nothing of it counts any more. */
  isOver(nowMs: number): boolean {
    return nowMs >= this.#endsMs;
  }

  /** Counts what was sent. @returns false when it is more than allowed */
  isWithin(limits: PaceLimits, sent: { messages: number; bytes: number }, nowMs: number): boolean {
    if (this.isOver(nowMs)) {
      this.#endsMs = nowMs + MINUTE_MS;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += sent.messages;
    this.#bytes += sent.bytes;
    return this.#messages <= limits.messagesPerMinute && this.#bytes <= limits.bytesPerMinute;
  }
}

/** Addresses that a user may name beside those of the own accounts, as at the venue. */
const ADDRESSES_MAX = 15;

/**
 * What the sockets of one user have subscribed to at this node, as far as they share bounds: the number of subscriptions,
 * and the addresses that they name. Each address has messages of its own about the same account.
 */
export class UserSubscriptions {
  readonly #addresses = new Map<string, number>();
  #count = 0;

  /**
   * Counts a subscription.
   * @param max subscriptions of all sockets of the user
   * @param isOwn whether an address is of an account of the user
   * @returns why it may not be opened, in words for the client; undefined when it may
   */
  take(subscription: Subscription, max: number, isOwn: (address: string) => boolean): string | undefined {
    const user = addressIn(subscription);
    if (this.#count >= max) return `Cannot subscribe to more than ${max} channels over all connections.`;
    const counts = user != null && !isOwn(user);
    if (counts && !this.#addresses.has(user) && this.#addresses.size >= ADDRESSES_MAX)
      return `Cannot track more than ${ADDRESSES_MAX} total users.`;
    this.#count += 1;
    if (counts) this.#addresses.set(user, (this.#addresses.get(user) ?? 0) + 1);
    return undefined;
  }

  /** A subscription that was counted is over. */
  release(subscription: Subscription): void {
    this.#count -= 1;
    const user = addressIn(subscription);
    if (user == null) return;
    const uses = (this.#addresses.get(user) ?? 0) - 1;
    if (uses > 0) this.#addresses.set(user, uses);
    else this.#addresses.delete(user);
  }
}

/** The address that a subscription names, if it does. */
const addressIn = (subscription: Subscription): string | null | undefined =>
  (subscription as { readonly user?: string | null }).user;

/** Counts what the subscriptions of a socket cost its key, in the same window of weight as its requests. */
export interface SubscriptionMeter {
  /** Counts what a subscription begins with. @throws {RequestError} 429 */
  admit(weight: number): Promise<void>;
  /** Counts what was read beyond that. */
  add(weight: number): Promise<void>;
  /** Whether the key has weight left. */
  hasLeft(): boolean;
}

export type CountsSubscriptions = Pick<Admission, 'admitSubscription' | 'addToSubscription' | 'hasWeightLeft'>;

/** @param options.key as it is now: plans change */
export const subscriptionMeter = (
  admission: CountsSubscriptions,
  { key, now }: { key: () => KeyRecord; now: () => number },
): SubscriptionMeter => ({
  admit: (weight) => admission.admitSubscription(key(), weight, now()),
  add: (weight) => admission.addToSubscription(key(), weight),
  hasLeft: () => admission.hasWeightLeft(key()),
});
