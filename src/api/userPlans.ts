// The plan of the moment of whoever comes with an access token, from memory: the token says what it was when it was issued,
// and its owner may have paid since.
import type { Plan } from '../shared/domain/plan.ts';
import type { Logger } from '../shared/logger.ts';
import type { UserStore } from '../shared/userStore.ts';
import type { TokenClaims } from './auth/accessTokens.ts';
import type { Forgetful } from './userChanges.ts';
import { within } from './within.ts';

/** A plan in memory is read again after this, ms: the store is the truth, whatever got lost. */
const KEPT_MS = 60_000;
/** While the store is away nobody asks it again for so long, ms. */
const ASK_AGAIN_MS = 1000;
/** How long the store may take, ms. */
const LOOK_UP_MS_MAX = 1000;
/** Plans in memory; past it those that came first are looked up again. */
const PLANS_MAX = 100_000;

export class UserPlans implements Forgetful {
  readonly #parts: { readonly users: UserStore; readonly log: Logger; readonly now: () => number };
  readonly #known = new Map<string, { readonly plan: Plan; readonly askAgainAtMs: number }>();
  /** Rises with every change: what was looked up across one is not kept. */
  #changes = 0;

  constructor(parts: { users: UserStore; log: Logger; now: () => number }) {
    this.#parts = parts;
  }

  /** @returns the claim's plan for a user who is gone or while the store is away */
  of(claims: TokenClaims): Plan | Promise<Plan> {
    const known = this.#known.get(claims.userId);
    return known !== undefined && this.#parts.now() < known.askAgainAtMs ? known.plan : this.#lookUp(claims);
  }

  forget(userId: string): void {
    this.#changes += 1;
    this.#known.delete(userId);
  }

  forgetAll(): void {
    this.#changes += 1;
    this.#known.clear();
  }

  async #lookUp({ userId, plan: claimed }: TokenClaims): Promise<Plan> {
    const { users, log, now } = this.#parts;
    const changesBefore = this.#changes;
    try {
      const user = await within(LOOK_UP_MS_MAX, 'looking a plan up', users.findById(userId));
      const plan = user?.plan ?? claimed;
      if (changesBefore === this.#changes) this.#keep(userId, plan, now() + KEPT_MS);
      return plan;
    } catch (error) {
      log.warn({ err: error }, 'a plan is taken from the access token, for MongoDB does not answer');
      this.#keep(userId, claimed, now() + ASK_AGAIN_MS);
      return claimed;
    }
  }

  #keep(userId: string, plan: Plan, askAgainAtMs: number): void {
    if (this.#known.size >= PLANS_MAX && !this.#known.has(userId)) {
      const [first] = this.#known.keys();
      if (first !== undefined) this.#known.delete(first);
    }
    this.#known.set(userId, { plan, askAgainAtMs });
  }
}
