// Whether an access token is still valid, and its owner's current plan, from memory. The token itself says only what
// was true when it was issued; its owner may have logged out, set a new password or paid since.
import type { Plan } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { User, UserStore } from '../../shared/mongo/userStore.ts';
import { withTimeout } from '../../shared/withTimeout.ts';
import type { TokenClaims } from './accessTokens.ts';
import type { UserCache } from './userChanges.ts';

/** An owner in memory is read again after this, ms, in case a change message was lost. */
const KEPT_MS = 60_000;
/** While the store is away, an owner in memory stays in use and is not asked for again for this long, ms. */
const ASK_AGAIN_MS = 1000;
/** How long the store may take, ms. */
const LOOK_UP_MS_MAX = 1500;
/** Owners in memory; past it the oldest are dropped and looked up again. */
const OWNERS_MAX = 100_000;

interface Owner {
  readonly plan: Plan;
  readonly generation: number;
  readonly keptTokenId: string | undefined;
  readonly loggedOut: ReadonlySet<string>;
}

export class TokenOwners implements UserCache {
  readonly #parts: { readonly users: UserStore; readonly log: Logger; readonly now: () => number };
  readonly #known = new Map<string, { readonly owner: Owner; readonly askAgainAtMs: number }>();
  readonly #looking = new Map<string, Promise<Owner | undefined>>();
  /** Rises with every change: a look-up that spans one is not cached. */
  #changes = 0;

  constructor(parts: { users: UserStore; log: Logger; now: () => number }) {
    this.#parts = parts;
  }

  /**
   * The plan of a token's owner; costs a look into a map for an owner that this node knows.
   * @returns undefined when the token is no longer valid
   * @throws {RequestError} 503 when the store is away and this node does not know the owner
   */
  planOf(claims: TokenClaims): Plan | undefined | Promise<Plan | undefined> {
    const known = this.#known.get(claims.userId);
    if (known !== undefined && this.#parts.now() < known.askAgainAtMs) return planIfInForce(claims, known.owner);
    return this.#load(claims.userId, known?.owner).then((owner) => planIfInForce(claims, owner));
  }

  forget(userId: string): void {
    this.#changes += 1;
    this.#known.delete(userId);
  }

  forgetAll(): void {
    this.#changes += 1;
    this.#known.clear();
  }

  /** Requests that need the same owner share one look-up. */
  #load(userId: string, known: Owner | undefined): Promise<Owner | undefined> {
    let looking = this.#looking.get(userId);
    if (looking === undefined) {
      looking = this.#lookUp(userId, known).finally(() => this.#looking.delete(userId));
      this.#looking.set(userId, looking);
    }
    return looking;
  }

  async #lookUp(userId: string, known: Owner | undefined): Promise<Owner | undefined> {
    const { users, log, now } = this.#parts;
    const changesBefore = this.#changes;
    try {
      const user = await withTimeout(LOOK_UP_MS_MAX, 'looking the owner of a token up', users.findById(userId));
      if (changesBefore !== this.#changes) return this.#lookUp(userId, undefined);
      if (user === null) this.#known.delete(userId);
      else this.#keep(userId, toOwner(user), now() + KEPT_MS);
      return user === null ? undefined : toOwner(user);
    } catch (error) {
      if (known === undefined || changesBefore !== this.#changes) {
        log.warn({ err: error }, 'an access token cannot be checked');
        throw new RequestError(503, 'store_unavailable', 'Access tokens cannot be checked at the moment.', {
          'Retry-After': '1',
        });
      }
      log.warn({ err: error }, 'an access token is judged by what is known of its owner, for MongoDB does not answer');
      this.#keep(userId, known, now() + ASK_AGAIN_MS);
      return known;
    }
  }

  #keep(userId: string, owner: Owner, askAgainAtMs: number): void {
    if (this.#known.size >= OWNERS_MAX && !this.#known.has(userId)) {
      const [first] = this.#known.keys();
      if (first !== undefined) this.#known.delete(first);
    }
    this.#known.set(userId, { owner, askAgainAtMs });
  }
}

const toOwner = ({ plan, tokenGeneration: generation = 0, keptTokenId, loggedOut = [] }: User): Owner => ({
  ...{ plan, generation, keptTokenId, loggedOut: new Set(loggedOut.map(({ id }) => id)) },
});

function planIfInForce({ id, generation }: TokenClaims, owner: Owner | undefined): Plan | undefined {
  if (owner === undefined || owner.loggedOut.has(id)) return undefined;
  return generation === owner.generation || id === owner.keptTokenId ? owner.plan : undefined;
}
