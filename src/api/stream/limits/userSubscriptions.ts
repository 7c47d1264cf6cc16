// What the sockets of one user have subscribed to at this node, as far as they share bounds: the number of subscriptions,
// and the addresses that they name. Each address has messages of its own about the same account.
import type { Subscription } from '../channel/channel.ts';

/** Addresses that a user may name beside those of the own accounts, as at the venue. */
const ADDRESSES_MAX = 15;

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
