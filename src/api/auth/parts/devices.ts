// Devices and networks that a user has logged in from: wrong guesses of others do not keep the user out there.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import { DAY_MS } from '../../../shared/domain/units.ts';
import type { User, UserStore } from '../../../shared/mongo/userStore.ts';

// Tokens by which a device shows that its user has logged in there before: guesses of others, however many, then do not keep it
// out. A token is signed and stored nowhere; it is bound to the user, and ends with a year, with a new password, and when all
// logins are ended. It opens nothing: the password is needed beside it.

const LIFE_MS = 365 * DAY_MS;
const FORM = /^dev\.([\w-]{16})\.([0-9a-z]{1,9})\.([\w-]{43})$/;

/** The user's part of a token: `tokenGeneration` rises when all logins end. */
type DeviceOwner = Pick<User, '_id' | 'tokenGeneration'>;

export class DeviceTokens {
  readonly #secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly #now: () => number;

  constructor({ secrets, now }: { secrets: Pick<DeploymentSecrets, 'keyFor'>; now: () => number }) {
    this.#secrets = secrets;
    this.#now = now;
  }

  /** A token for the device with this id. */
  async issue(owner: DeviceOwner, deviceId: string): Promise<string> {
    const issued = Math.floor(this.#now() / 1000).toString(36);
    return `dev.${deviceId}.${issued}.${(await this.#signature(owner, deviceId, issued)).toString('base64url')}`;
  }

  /** @returns the device's id, or undefined when the token is not the user's, or is over */
  async read(token: string, owner: DeviceOwner): Promise<string | undefined> {
    const [, deviceId = '', issued = '', signature = ''] = FORM.exec(token) ?? [];
    if (deviceId === '' || this.#now() - Number.parseInt(issued, 36) * 1000 > LIFE_MS) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const right = await this.#signature(owner, deviceId, issued);
    return given.length === right.length && timingSafeEqual(given, right) ? deviceId : undefined;
  }

  async #signature({ _id, tokenGeneration = 0 }: DeviceOwner, deviceId: string, issued: string): Promise<Buffer> {
    const key = await this.#secrets.keyFor('device tokens');
    return createHmac('sha256', key).update(`${_id}\n${tokenGeneration}\n${deviceId}\n${issued}`).digest();
  }
}

/** The device of a login that named none: one for each session, so that refreshing makes no further ones. */
export const deviceOf = (sessionId: string): string => createHash('sha256').update(sessionId).digest('base64url').slice(0, 16);

// The networks from which a user's password was used with success: as keyed hashes, the newest few. Guesses from elsewhere do
// not keep a login from there out, also one of a program that keeps no device token.

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
