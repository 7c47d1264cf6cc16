// The deployment's secrets: the keys that sign access tokens, and one key for each other purpose, drawn from a secret
// that stays when the signing keys change. The variables give them; KeptSecret stands in for what is not given.
import { hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { collections, durable, isDuplicate, type MongoConnection } from '../mongo/mongo.ts';
import { makeOnce } from '../waiting.ts';

/** In JWT_SECRETS_OLD: the key that is kept in MongoDB, which signed tokens before JWT_SECRET was set. */
const KEPT = 'kept';
const KEY_BYTES = 32;

/** A key that signs or verifies access tokens. */
interface SigningKey {
  /** `kid` of a token: made from the key, and tells nothing of it. */
  readonly id: string;
  readonly secret: string;
}

/** What a key is for: no two purposes share one. */
type Purpose = 'idempotency' | 'device tokens' | 'known networks' | 'e-mail digests' | 'second factors' | 'webhooks';

type SecretsConfig = Pick<Config, 'JWT_SECRET' | 'JWT_SECRETS_OLD' | 'DEPLOYMENT_SECRET'>;

export class DeploymentSecrets {
  readonly #config: SecretsConfig;
  readonly #kept: Pick<KeptSecret, 'value'>;
  /** The keys that verify access tokens; the first one signs. @throws when MongoDB has to tell and is away */
  readonly signingKeys = makeOnce(() => this.#readSigningKeys());

  constructor(config: SecretsConfig, kept: Pick<KeptSecret, 'value'>) {
    this.#config = config;
    this.#kept = kept;
  }

  /** 32 bytes for one purpose, the same on every node and as long as the deployment lives. */
  async keyFor(purpose: Purpose): Promise<Buffer> {
    return derived(this.#config.DEPLOYMENT_SECRET || (await this.#kept.value()), purpose);
  }

  async #readSigningKeys(): Promise<readonly [SigningKey, ...SigningKey[]]> {
    const { JWT_SECRET, JWT_SECRETS_OLD } = this.#config;
    const current = JWT_SECRET || (await this.#kept.value());
    const old = JWT_SECRETS_OLD.split(',').filter((secret) => secret !== '');
    const accepted = await Promise.all(old.map((secret) => (secret === KEPT ? this.#kept.value() : secret)));
    return [toSigningKey(current), ...accepted.map(toSigningKey)];
  }
}

const toSigningKey = (secret: string): SigningKey => ({
  id: derived(secret, 'name of a signing key').toString('base64url').slice(0, 11),
  secret,
});

const derived = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `paper-perps-exchange ${purpose}`, KEY_BYTES));

// A secret of the deployment that no variable gives: made by the first node that needs it and kept in MongoDB, so that
// every node has the same one. Who can read that database has it too.

/** The name that the first build gave it; it signs access tokens where JWT_SECRET is empty. */
const SECRET_ID = 'jwtSecret';

export class KeptSecret {
  readonly #mongo: MongoConnection;
  /** @throws when MongoDB is away; the next call asks again */
  readonly value = makeOnce(() => this.#read());

  constructor(mongo: MongoConnection) {
    this.#mongo = mongo;
  }

  /** The first of several nodes wins; the others read what it wrote. */
  async #read(): Promise<string> {
    const settings = this.#mongo.db.collection<{ _id: string; value: string; schema?: 1 }>(collections.settings, durable);
    const kept = await settings.findOne({ _id: SECRET_ID });
    if (kept) return kept.value;
    const value = randomBytes(48).toString('base64url');
    try {
      await settings.insertOne({ _id: SECRET_ID, value, schema: 1 });
      return value;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return this.#read();
    }
  }
}
