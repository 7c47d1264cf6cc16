// `vaultAddress` beside an action: for which of the user's accounts it acts. At the venue it names a vault or a sub-account; here
// there are no vaults.
import { Type } from '@sinclair/typebox';
import type { Call, OwnAccounts } from '../accounts/services.ts';
import { type ActionAnswer, refusal } from './actionType.ts';

/** Some clients send it without its `0x`. */
export const VaultAddress = Type.String({ pattern: '^(0x)?[0-9a-fA-F]{40}$', expected: '0x and 40 hex digits, or null' });

/** Actions about the user's accounts: they are the master's, whatever `vaultAddress` says. */
const OF_MASTER: ReadonlySet<string> = new Set(['createSubAccount', 'subAccountModify', 'subAccountTransfer']);

/** Of an action, as it came. */
interface Acting {
  readonly type: string;
  readonly vaultAddress: string | null | undefined;
}

/** @returns the address for which it acts, in the venue's form, or undefined for the account that the key reaches by itself */
export function actingAddress({ type, vaultAddress }: Acting): string | undefined {
  if (vaultAddress == null || OF_MASTER.has(type)) return undefined;
  return vaultAddress.length === 40 ? `0x${vaultAddress}` : vaultAddress;
}

/**
 * The call of the account that acts, or the refusal where the address is none of the user's.
 * @throws {RequestError} as the gateway does
 */
export function actingCall(
  action: Acting,
  call: Call,
  ownAccounts: Pick<OwnAccounts, 'named'>,
): Call | ActionAnswer | Promise<Call | ActionAnswer> {
  const address = actingAddress(action);
  if (address === undefined) return call;
  const named = ownAccounts.named(call, address);
  const acting = (caller: Awaited<typeof named>): Call | ActionAnswer =>
    caller === undefined ? refusal(`Vault not registered: ${address.toLowerCase()}`) : { ...call, caller };
  return named instanceof Promise ? named.then(acting) : acting(named);
}
