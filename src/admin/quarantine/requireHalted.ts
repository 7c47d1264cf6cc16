// Finds the halted account that an operator names, with what can be made of it.
import { type AdminParts, Refused, UsageError } from '../adminCommand.ts';
import { type FoldedFromStores, foldFromStores } from './foldFromStores.ts';
import { type HaltedAccount, haltedAccounts } from './haltedAccounts.ts';

export interface FoundHalted {
  readonly account: HaltedAccount;
  readonly folded: FoldedFromStores;
  readonly isMeant: boolean;
}

/** @throws {Refused} when the account is not halted, {UsageError} for other words than an account and --yes */
export async function requireHalted(args: readonly string[], parts: AdminParts): Promise<FoundHalted> {
  const [name, ...more] = args.filter((word) => word !== '--yes');
  if (name === undefined || more.length > 0) throw new UsageError('Which account? One 0x…, as quarantine list shows it.');
  const account = (await haltedAccounts(parts)).find(({ accountId }) => accountId === name.toLowerCase());
  if (account === undefined) throw new Refused(`The account ${name} is not halted.`);
  return { account, folded: await foldFromStores(parts, account), isMeant: args.includes('--yes') };
}
