// The networks from which a user's password was used with success: as keyed hashes, the newest few. Guesses from
// elsewhere do not keep a login from there out, also one of a program that keeps no device token.
import { createHmac } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { User, UserStore } from '../../../shared/mongo/userStore.ts';

/** A network among the newest so many needs no write. */
const NEWEST = 10;

export class KnownNetworks {
  readonly #secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly #users: Pick<UserStore, 'addKnownNetwork'>;

  constructor({ secrets, users }: { secrets: Pick<DeploymentSecrets, 'keyFor'>; users: Pick<UserStore, 'addKnownNetwork'> }) {
    this.#secrets = secrets;
    this.#users = users;
  }

  async has({ _id, knownNetworks = [] }: User, network: string): Promise<boolean> {
    return knownNetworks.includes(await this.digestOf({ _id }, network));
  }

  /** Notes a network after a login, a registration, or a reset. */
  async add({ _id, knownNetworks = [] }: User, network: string): Promise<void> {
    const digest = await this.digestOf({ _id }, network);
    if (!knownNetworks.slice(-NEWEST).includes(digest)) await this.#users.addKnownNetwork(_id, digest);
  }

  /** What a user's document keeps of a network. */
  async digestOf({ _id: userId }: Pick<User, '_id'>, network: string): Promise<string> {
    const key = await this.#secrets.keyFor('known networks');
    return createHmac('sha256', key).update(`${userId}\n${network}`).digest('base64url').slice(0, 22);
  }
}
