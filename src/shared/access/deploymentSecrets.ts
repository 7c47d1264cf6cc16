// The deployment's secrets: the keys that sign access tokens, and one key for each other purpose, drawn from a secret
// that stays when the signing keys change. The variables give them; KeptSecret stands in for what is not given.
import { hkdfSync } from 'node:crypto';
import type { Config } from '../config.ts';
import type { KeptSecret } from './keptSecret.ts';

/** In JWT_SECRETS_OLD: the key that is kept in MongoDB, which signed tokens before JWT_SECRET was set. */
const KEPT = 'kept';
const KEY_BYTES = 32;

/** A key that signs or verifies access tokens. */
export interface SigningKey {
  /** `kid` of a token: made from the key, and tells nothing of it. */
  readonly id: string;
  readonly secret: string;
}

/** What a key is for: no two purposes share one. */
export type Purpose = 'idempotency' | 'device tokens' | 'known networks' | 'e-mail digests' | 'second factors' | 'webhooks';

export type SecretsConfig = Pick<Config, 'JWT_SECRET' | 'JWT_SECRETS_OLD' | 'DEPLOYMENT_SECRET'>;

export class DeploymentSecrets {
  readonly #config: SecretsConfig;
  readonly #kept: Pick<KeptSecret, 'value'>;
  #signingKeys: Promise<readonly [SigningKey, ...SigningKey[]]> | undefined;

  constructor(config: SecretsConfig, kept: Pick<KeptSecret, 'value'>) {
    this.#config = config;
    this.#kept = kept;
  }

  /** The keys that verify access tokens; the first one signs. @throws when MongoDB has to tell and is away */
  signingKeys(): Promise<readonly [SigningKey, ...SigningKey[]]> {
    this.#signingKeys ??= this.#readSigningKeys().catch((error: unknown) => {
      this.#signingKeys = undefined;
      throw error;
    });
    return this.#signingKeys;
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
