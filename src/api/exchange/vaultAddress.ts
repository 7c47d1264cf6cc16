// `vaultAddress` beside an action: for which of the user's accounts it acts. At the venue it names a vault or a sub-account; here
// there are no vaults.
import { Type } from '@sinclair/typebox';
import type { Call, OwnAccounts } from '../accounts/services.ts';
import { type ActionAnswer, refusal } from './actionType.ts';

/** Some clients send it without its `0x`. */
export const VaultAddress = Type.String({ pattern: '^(0x)?[0-9a-fA-F]{40}$', expected: '0x and 40 hex digits, or null' });

/** Actions about the user's accounts: they are the master's, whatever `vaultAddress` says. */
const OF_MASTER: ReadonlySet<string> = new Set(['createSubAccount', 'subAccountModify', 'subAccountTransfer']);

/**
 * The call of the account that acts, or the refusal where the address is none of the user's.
 * @throws {RequestError} as the gateway does
 */
export function actingCall(
  { type, vaultAddress }: { readonly type: string; readonly vaultAddress: string | null | undefined },
  call: Call,
  ownAccounts: Pick<OwnAccounts, 'named'>,
): Call | ActionAnswer | Promise<Call | ActionAnswer> {
  if (vaultAddress == null || OF_MASTER.has(type)) return call;
  const address = vaultAddress.length === 40 ? `0x${vaultAddress}` : vaultAddress;
  const named = ownAccounts.named(call, address);
  const acting = (caller: Awaited<typeof named>): Call | ActionAnswer =>
    caller === undefined ? refusal(`Vault not registered: ${address.toLowerCase()}`) : { ...call, caller };
  return named instanceof Promise ? named.then(acting) : acting(named);
}
