// Finds the user that an operator names: by e-mail address, user id, account address, or the id of one of the user's
// keys.
import { collections } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { type OperatorParts, Unknown, UsageError } from '../operatorParts.ts';

/** @throws {Unknown} when no user has that name */
export async function findUser(name: string | undefined, { mongo }: Pick<OperatorParts, 'mongo'>): Promise<User> {
  if (name === undefined) throw new UsageError('Which user? An e-mail address, user_…, 0x… or key_….');
  const wanted = name.trim().toLowerCase();
  const users = mongo.db.collection<User>(collections.users);
  const key = wanted.startsWith('key_')
    ? await mongo.db.collection<{ _id: string; userId: string }>(collections.apiKeys).findOne({ _id: wanted })
    : null;
  const found = await users.findOne({ $or: [{ _id: key?.userId ?? wanted }, { email: wanted }, { address: wanted }] });
  if (found === null) throw new Unknown(`There is no user ${name}.`);
  return found;
}
