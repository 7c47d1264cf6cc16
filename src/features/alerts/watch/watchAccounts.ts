// Looks at what no event tells: how near accounts are to a liquidation, which house rules are broken, and whether bots have gone
// silent. From the snapshots of the accounts, the marks in Redis, and the last uses of keys: the actors do nothing for it.
import { accountAddresses } from '../../../shared/access/subAccountAddress.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { AlertKind } from '../rules/alertKinds.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import { watchHouseRules } from './watchHouseRules.ts';
import { watchMargins } from './watchMargins.ts';
import type { WatchedAccount, WatchParts } from './watchParts.ts';
import { watchSilence } from './watchSilence.ts';

const WATCHED: readonly AlertKind[] = ['margin', 'house_rule', 'bot_silent'];

type AccountOwner = Pick<User, '_id' | 'address' | 'subAccountsMade'>;

/** One look at all endpoints that are told of such. */
export async function watchAccounts(parts: WatchParts): Promise<void> {
  for await (const step of new AlertEndpoints(parts.mongo).active(WATCHED)) {
    const owners = await ownersOf(parts.mongo, step);
    const of = (kind: AlertKind): WatchedAccount[] =>
      step.filter(({ kinds }) => kinds.includes(kind)).flatMap((endpoint) => accountsOf(endpoint, owners.get(endpoint.userId)));
    await watchMargins(parts, of('margin'));
    await watchHouseRules(parts, of('house_rule'));
    await watchSilence(parts, of('bot_silent'), owners);
  }
}

async function ownersOf(
  { db }: MongoConnection,
  step: readonly AlertEndpointDocument[],
): Promise<ReadonlyMap<string, AccountOwner>> {
  const ids = [...new Set(step.map(({ userId }) => userId))];
  const users = db.collection<AccountOwner>(collections.users);
  const found = await users.find({ _id: { $in: ids } }, { projection: { address: 1, subAccountsMade: 1 } }).toArray();
  return new Map(found.map((user) => [user._id, user]));
}

function accountsOf(endpoint: AlertEndpointDocument, owner: AccountOwner | undefined): WatchedAccount[] {
  const accounts = owner === undefined ? [] : accountAddresses(owner);
  return accounts
    .filter((account) => endpoint.account === undefined || endpoint.account === account)
    .map((account) => ({ endpoint, account }));
}
