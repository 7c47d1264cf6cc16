// Access tokens (JWT, HS256) for dashboards. The signing key is configured, or made by the first node that needs it
// and kept in MongoDB, so that every node accepts the tokens of the others.
import { createHmac, randomBytes } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { collections, durable, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { isDuplicate } from '../../shared/mongo/userStore.ts';

const SIGNING_KEY_ID = 'jwtSecret';

/** What a token says. Its user's document decides whether it is still valid (tokenOwners.ts). */
export interface TokenClaims {
  readonly userId: string;
  /** Names the token. */
  readonly id: string;
  /** The user's `tokenGeneration` when it was issued. */
  readonly generation: number;
  readonly expiresAtMs: number;
}

export class AccessTokens {
  readonly #config: Pick<Config, 'JWT_SECRET' | 'JWT_TTL_SECONDS'>;
  readonly #mongo: MongoConnection;
  #key: Promise<string> | undefined;

  constructor(config: Pick<Config, 'JWT_SECRET' | 'JWT_TTL_SECONDS'>, mongo: MongoConnection) {
    this.#config = config;
    this.#mongo = mongo;
  }

  async issue({ userId, plan, generation }: { userId: string; plan: Plan; generation: number }): Promise<string> {
    const expiresIn = this.#config.JWT_TTL_SECONDS;
    const jwtid = randomBytes(12).toString('hex');
    const claims = { plan, gen: generation };
    return jsonwebtoken.sign(claims, await this.#signingKey(), { algorithm: 'HS256', subject: userId, jwtid, expiresIn });
  }

  /** @returns undefined when the token is not ours, has been changed or is over */
  async read(token: string): Promise<TokenClaims | undefined> {
    const key = await this.#signingKey();
    try {
      const claims = jsonwebtoken.verify(token, key, { algorithms: ['HS256'] });
      if (typeof claims === 'string') return undefined;
      const { sub: userId, jti: id, exp, gen: generation = 0 } = claims;
      if (userId === undefined || id === undefined || exp === undefined) return undefined;
      return { userId, id, generation, expiresAtMs: exp * 1000 };
    } catch {
      return undefined; // the check is a computation, so only the token can be at fault
    }
  }

  /** A secret of the deployment for another use, the same on every node; it tells nothing of the signing key. */
  async secretFor(use: string): Promise<Buffer> {
    return createHmac('sha256', await this.#signingKey())
      .update(use)
      .digest();
  }

  #signingKey(): Promise<string> {
    this.#key ??= (this.#config.JWT_SECRET ? Promise.resolve(this.#config.JWT_SECRET) : this.#keptKey()).catch(
      (error: unknown) => {
        this.#key = undefined;
        throw error;
      },
    );
    return this.#key;
  }

  /** The first of several nodes wins; the others read what it wrote. */
  async #keptKey(): Promise<string> {
    const settings = this.#mongo.db.collection<{ _id: string; value: string; schema?: 1 }>(collections.settings, durable);
    const kept = await settings.findOne({ _id: SIGNING_KEY_ID });
    if (kept) return kept.value;
    const value = randomBytes(48).toString('base64url');
    try {
      await settings.insertOne({ _id: SIGNING_KEY_ID, value, schema: 1 });
      return value;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return this.#keptKey();
    }
  }
}
