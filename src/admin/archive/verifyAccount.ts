// `bin/admin account verify`: is everything that is stored of an account what its entries come to?

import { type OperatorParts, UsageError } from '../../operators/operatorParts.ts';
import { idsOf } from '../../shared/archive/archiveForm.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { AdminCommand, Report } from '../adminCommand.ts';
import { accountNamed, type NamedAccount } from './accountPast.ts';
import { type Difference, Differs, sentenceOf } from './firstDifference.ts';
import { type Verified, verifyPast } from './verifyPast.ts';

/** Differences that the text of `--all` shows. */
const SHOWN_MAX = 50;

type Outcome = { readonly account: string; readonly verified?: Verified; readonly difference?: Difference };

export const verifyAccount: AdminCommand = {
  name: 'account verify',
  takes: 'ACCOUNT | --all',
  does: 'folds all that was archived and compares it with everything that is stored; says the first difference, status 1',
  async run(args, parts) {
    if (args.includes('--all')) {
      if (args.length > 1) throw new UsageError('Either one account or --all.');
      return await verifyAll(parts);
    }
    const [name, ...more] = args;
    if (more.length > 0) throw new UsageError('One account, or --all.');
    const outcome = await outcomeOf(parts, await accountNamed(name, parts));
    return { data: outcome, lines: linesOf(outcome), isBad: outcome.difference !== undefined };
  },
};

async function verifyAll(parts: OperatorParts): Promise<Report> {
  const { config } = parts.billing;
  const found: Outcome[] = [];
  let accounts = 0;
  for await (const accountId of accountsOf(parts.mongo)) {
    const outcome = await outcomeOf(parts, { accountId, shard: shardOf(accountId, config.SHARDS), user: undefined });
    accounts += 1;
    if (outcome.difference !== undefined) found.push(outcome);
  }
  const more = found.length > SHOWN_MAX ? [`and ${found.length - SHOWN_MAX} more`] : [];
  return {
    data: { accounts, different: found },
    lines: [`${accounts} accounts, ${found.length} differ.`, ...found.slice(0, SHOWN_MAX).flatMap(linesOf), ...more],
    isBad: found.length > 0,
  };
}

/** Those with a snapshot, and those of users whose snapshot is missing although something of them is archived. */
async function* accountsOf({ db }: MongoConnection): AsyncGenerator<string> {
  const snapshots = db.collection<{ _id: string }>(collections.accounts);
  for await (const { _id } of snapshots.find({}, { projection: { _id: 1 } })) yield _id;
  const users = db.collection<Pick<User, '_id' | 'address'>>(collections.users).find({}, { projection: { address: 1 } });
  const archive = db.collection<{ _id: string }>(collections.archive);
  const only = { projection: { _id: 1 } };
  for await (const { address } of users) {
    if ((await snapshots.findOne({ _id: address }, only)) !== null) continue;
    if ((await archive.findOne({ _id: idsOf(address) }, only)) !== null) yield address;
  }
}

/** Trading goes on meanwhile, and old rows may be removed just then: what differs is looked at twice. */
async function outcomeOf(parts: OperatorParts, named: NamedAccount): Promise<Outcome> {
  const first = await triedOnce(parts, named);
  return first.difference === undefined ? first : await triedOnce(parts, named);
}

async function triedOnce(parts: OperatorParts, named: NamedAccount): Promise<Outcome> {
  const account = named.accountId;
  try {
    return { account, verified: await verifyPast(parts, named) };
  } catch (error) {
    if (!(error instanceof Differs)) throw error;
    return { account, difference: error.difference };
  }
}

function linesOf({ account, verified, difference }: Outcome): string[] {
  if (difference !== undefined) return [`${account} differs: ${sentenceOf(difference)}`];
  if (verified === undefined) return [];
  const { folded, first, last, rows, states, hash, notes } = verified;
  return [
    `${account} is whole: entries ${first} to ${last}, ${folded} folded, ${rows} history rows and ${states} states compared.`,
    `state hash ${hash ?? '-'}`,
    ...notes,
  ];
}
