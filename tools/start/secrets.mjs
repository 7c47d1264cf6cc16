// Passwords of the stores that bin/start runs itself. They are made at the first start and stay in the data folder, which
// only its owner can read. A store on loopback is open to every user of the machine otherwise.
import { randomBytes } from 'node:crypto';

/** 192 bits; hexadecimal, so that it needs no quotes in an address. */
const PASSWORD_BYTES = 24;
const FILE = 'secrets.json';
/** The one user of MongoDB. */
export const MONGO_USER = 'paper';

/** @typedef {{ redis: string, mongo: string }} Secrets */

const REMEDY =
  'It has the passwords of the stores, without which their data cannot be read: put it back from a copy, or begin anew in another ' +
  'folder with --data.';

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @returns {Secrets} the secrets of the first start
 * @throws {import('./refusal.mjs').Refusal} when the file that has them is damaged: new ones would lock the stores for ever
 */
export function storeSecrets(data) {
  /** @type {Secrets | undefined} */
  const known = data.readKept(FILE, isWhole, REMEDY);
  if (known) return known;
  const made = { redis: randomBytes(PASSWORD_BYTES).toString('hex'), mongo: randomBytes(PASSWORD_BYTES).toString('hex') };
  data.write(FILE, made);
  return made;
}

/** @param {any} value */
const isWhole = ({ redis, mongo }) => [redis, mongo].every((password) => typeof password === 'string' && password !== '');

/** @param {number | string} port @param {string} password */
export const redisUrl = (port, password) => `redis://:${password}@127.0.0.1:${port}`;

/** @param {string} path @param {string} password */
export const redisSocketUrl = (path, password) => `unix://:${password}@${path.split('/').map(encodeURIComponent).join('/')}`;

/** @param {number | string} port @param {string} password */
export const mongoUrl = (port, password) => `mongodb://${MONGO_USER}:${password}@127.0.0.1:${port}/?authSource=admin`;
