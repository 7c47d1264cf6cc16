// A secret of the deployment that no variable gives: made by the first node that needs it and kept in MongoDB, so that
// every node has the same one. Who can read that database has it too.
import { randomBytes } from 'node:crypto';
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import { isDuplicate } from '../mongo/userStore.ts';

/** The name that the first build gave it; it signs access tokens where JWT_SECRET is empty. */
const SECRET_ID = 'jwtSecret';

export class KeptSecret {
  readonly #mongo: MongoConnection;
  #secret: Promise<string> | undefined;

  constructor(mongo: MongoConnection) {
    this.#mongo = mongo;
  }

  /** @throws when MongoDB is away; the next call asks again */
  value(): Promise<string> {
    this.#secret ??= this.#read().catch((error: unknown) => {
      this.#secret = undefined;
      throw error;
    });
    return this.#secret;
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
