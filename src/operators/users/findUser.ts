// Finds the user that an operator names: by e-mail address, user id, the address of one of the user's accounts, or the id of one of the
// user's keys.
import { accountAddresses } from '../../shared/access/subAccountAddress.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { type OperatorParts, Unknown, UsageError } from '../operatorParts.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** @throws {Unknown} when no user has that name */
export async function findUser(name: string | undefined, { mongo }: Pick<OperatorParts, 'mongo'>): Promise<User> {
  if (name === undefined) throw new UsageError('Which user? An e-mail address, user_…, 0x… or key_….');
  const wanted = name.trim().toLowerCase();
  const users = mongo.db.collection<User>(collections.users);
  const key = wanted.startsWith('key_')
    ? await mongo.db.collection<{ _id: string; userId: string }>(collections.apiKeys).findOne({ _id: wanted })
    : null;
  const named = await users.findOne({ $or: [{ _id: key?.userId ?? wanted }, { email: wanted }, { address: wanted }] });
  const found = named ?? (ADDRESS.test(wanted) ? await ownerOfSubAccount(mongo, wanted) : undefined);
  if (found === undefined) throw new Unknown(`There is no user ${name}.`);
  return found;
}

/** The user of whom the address is an account: the master's, or a sub-account's, which takes a millisecond for each dozen users. */
export async function ownerOfAccount(mongo: MongoConnection, address: string): Promise<User | undefined> {
  return (await mongo.db.collection<User>(collections.users).findOne({ address })) ?? ownerOfSubAccount(mongo, address);
}

/** No master's address follows from that of a sub-account: those of all users who have any are computed. */
async function ownerOfSubAccount({ db }: MongoConnection, address: string): Promise<User | undefined> {
  for await (const user of db.collection<User>(collections.users).find({ subAccountsMade: { $gt: 0 } }))
    if (accountAddresses(user).includes(address)) return user;
  return undefined;
}
