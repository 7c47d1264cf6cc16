// Plans, the subscription and its invoices. An access token is needed, but for the plans.
import type { Repeatable } from './account.js';
import { answered, type Operations, pages, repeatable, type Shape } from './calls.js';

/** The plans on offer, and the user's purchases. */
export class Billing {
  readonly #operations: Operations;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** The plans on offer. */
  async plans(): Promise<Shape<'Plan'>[]> {
    return (await answered(this.#operations.GET('/v1/billing/plans'))).plans;
  }

  /** The plan, and how far it is paid for. */
  subscription(): Promise<Shape<'Subscription'>> {
    return answered(this.#operations.GET('/v1/billing/subscription'));
  }

  /** An invoice for a plan, which holds when it is paid. */
  subscribe(body: Shape<'SubscribeRequest'>, { idempotencyKey }: Repeatable = {}): Promise<Shape<'Invoice'>> {
    return answered(this.#operations.POST('/v1/billing/subscribe', { body, params: { header: repeatable(idempotencyKey) } }));
  }

  /** All invoices, newest first, read page by page. */
  invoices(): AsyncGenerator<Shape<'Invoice'>, void, undefined> {
    return pages((at) => answered(this.#operations.GET('/v1/billing/invoices', { params: { query: at } })));
  }

  /** Reserves one use of a discount code for the next invoice. */
  applyDiscount(code: string): Promise<Shape<'Discount'>> {
    return answered(this.#operations.POST('/v1/billing/discount/apply', { body: { code } }));
  }

  /** The subscription ends with what is paid for. */
  cancel(): Promise<Shape<'Subscription'>> {
    return answered(this.#operations.POST('/v1/billing/cancel'));
  }
}
