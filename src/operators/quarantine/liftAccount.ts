// Has a halted account read anew by its owner, with everything that was acknowledged.
import { withAccountAudit } from '../accounts/withAudit.ts';
import { type OperatorParts, Refused, Unknown } from '../operatorParts.ts';
import { endHalt } from './endHalt.ts';
import { type FoldedFromStores, foldFromStores } from './foldFromStores.ts';
import { type HaltedAccount, haltedAccounts } from './haltedAccounts.ts';

export interface FoundHalted {
  readonly account: HaltedAccount;
  readonly folded: FoldedFromStores;
}

/** A halted account with what can be made of it. @throws {Unknown} when the account is not halted */
export async function requireHaltedAccount(parts: OperatorParts, accountId: string): Promise<FoundHalted> {
  const account = (await haltedAccounts(parts)).find((one) => one.accountId === accountId.toLowerCase());
  if (account === undefined) throw new Unknown(`The account ${accountId} is not halted.`);
  return { account, folded: await foldFromStores(parts, account) };
}

/** @returns the entry that the account goes on from @throws {Refused} when not all of its entries can be folded */
export function requireLiftable({ folded: { lastGood } }: FoundHalted): number {
  if (lastGood === undefined) throw new Refused('Its snapshot in MongoDB cannot be read: restore that document first.');
  const { givenUp, account } = lastGood;
  if (givenUp.length === 0) return account.seq;
  throw new Refused(
    `${givenUp.length} of its entries, from ${givenUp[0]?.seq} on, cannot be folded by this build. Run a build that can, or drop them.`,
  );
}

/** @returns a line about the audit row @throws {Refused} when no owner takes it up, or the account stays halted */
export async function liftAccount(parts: OperatorParts, { account }: FoundHalted): Promise<string> {
  const { accountId, reason } = account;
  const of = { accountId, action: 'account.lifted', detail: reason.slice(0, 200) } as const;
  return (await withAccountAudit(parts, of, { act: () => endHalt(parts, account, { want: 'lift' }) })).line;
}
