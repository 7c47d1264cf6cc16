// Finds the halted account that an operator names, with what can be made of it.
import { type OperatorParts, UsageError } from '../../operators/operatorParts.ts';
import { type FoundHalted, requireHaltedAccount } from '../../operators/quarantine/liftAccount.ts';

/** @throws {Refused} when the account is not halted, {UsageError} for other words than an account and --yes */
export async function requireHalted(
  args: readonly string[],
  parts: OperatorParts,
): Promise<FoundHalted & { readonly isMeant: boolean }> {
  const [name, ...more] = args.filter((word) => word !== '--yes');
  if (name === undefined || more.length > 0) throw new UsageError('Which account? One 0x…, as quarantine list shows it.');
  return { ...(await requireHaltedAccount(parts, name)), isMeant: args.includes('--yes') };
}
