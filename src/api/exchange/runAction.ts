// The `exchange` endpoint: reads the envelope, finds the action and the account for which it acts, and runs it. It does not depend on HTTP,
// so a WebSocket post uses it too. At the venue `vaultAddress` names a vault or a sub-account; here there are no vaults.
import { Type } from '@sinclair/typebox';
import { REFUSALS } from '../../actors/core/checks/checkAction.ts';
import type { Call, OwnAccounts, Services } from '../accounts/services.ts';
import { described } from '../contract/named.ts';
import { type Price, priceOfItems } from '../domain/requestPrice.ts';
import { absentOr, compileReader, contradiction, quoted, TimeMs, unreadable } from '../http/requestReader.ts';
import { type ActionAnswer, type ActionContext, type ActionType, refusal } from './actionType.ts';
import { cancel, cancelByCloid, scheduleCancel } from './cancel.ts';
import { DRY_RUN_TYPES, dryRunRefusal, runDry } from './dryRun.ts';
import { topUpIsolatedOnlyMargin, updateIsolatedMargin, updateLeverage } from './margin.ts';
import { batchModify, modify } from './modify.ts';
import { order } from './order.ts';
import { reserveRequestWeight } from './reserveRequestWeight.ts';
import { createSubAccount, subAccountModify, subAccountTransfer } from './subAccounts.ts';
import { twapCancel, twapOrder } from './twap.ts';
import { findRefusal, okWithoutEffect, usdClassTransfer } from './withoutEffect.ts';

/** Some clients send it without its `0x`. */
const VaultAddress = Type.String({ pattern: '^(0x)?[0-9a-fA-F]{40}$', expected: '0x and 40 hex digits, or null' });

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
function actingCall(
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

/** Nonce and signature are accepted and ignored: the API key says who is asking. A failure lab may be strict about nonces. */
const readEnvelope = compileReader(
  Type.Object(
    {
      action: Type.Object({ type: Type.String({ expected: 'a string' }) }, { expected: 'an object' }),
      vaultAddress: described(
        absentOr(VaultAddress),
        'The account that acts, if not the key’s own: a sub-account of its user. A key that is bound to an account acts for that one.',
      ),
      expiresAfter: described(absentOr(TimeMs), 'Past this time the action must not run any more.'),
      dryRun: described(
        absentOr(Type.Boolean({ expected: 'a boolean' })),
        '`true`: nothing is done, and the answer, a `DryRunAnswer`, says what would be. Not of the venue.',
      ),
    },
    { expected: 'a JSON object' },
  ),
);

/** The schema that reads every request, for the published contract. */
export const envelope = readEnvelope.schema;

type Runner = (action: unknown, context: ActionContext) => Promise<ActionAnswer> | ActionAnswer;

/** An action as the published contract tells of it. */
type ActionContract = Omit<ActionType, 'run'>;

interface Routed {
  readonly contract: ActionContract;
  readonly run: Runner;
}

/** Actions that become a command: the account looks at their `expiresAfter`, by its own clock. */
const commands: ReadonlyMap<string, Routed> = new Map([
  routed(order),
  routed(cancel),
  routed(cancelByCloid),
  routed(modify),
  routed(batchModify),
  routed(updateLeverage),
  routed(updateIsolatedMargin),
  routed(topUpIsolatedOnlyMargin),
  routed(reserveRequestWeight),
  routed(scheduleCancel),
  routed(twapOrder),
  routed(twapCancel),
  routed(createSubAccount),
  routed(subAccountModify),
  routed(subAccountTransfer),
]);

/** Actions that are answered without the account. */
const answeredHere: ReadonlyMap<string, Routed> = new Map([routed(usdClassTransfer), ...okWithoutEffect.map(routed)]);

function routed<T extends ActionType['schema']>(action: ActionType<T>): [string, Routed] {
  const read = compileReader(action.schema);
  return [action.type, { contract: action, run: (body, context) => action.run(read(body), context) }];
}

/** @param body of an `exchange` request, not yet checked. An action that is not run costs as one. */
export function priceOfAction(body: unknown, bytes: number): Price {
  const { action, dryRun } = fieldsOf(body);
  const { type, ...lists } = fieldsOf(action);
  const found = typeof type === 'string' ? (commands.get(type) ?? answeredHere.get(type)) : undefined;
  const list = lists[found?.contract.price ?? 'one'];
  return priceOfItems(Array.isArray(list) ? list.length : 0, { bytes, isDryRun: dryRun === true });
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Names of the actions that are run, for tests and docs. */
export const actionTypes = (): string[] => [...commands.keys(), ...answeredHere.keys()];

/** All actions that are run, for the published contract. */
export const actionContracts = (): ActionContract[] =>
  [...commands.values(), ...answeredHere.values()].map(({ contract }) => contract);

/**
 * Runs one action for the caller's account.
 * @returns the venue's answer; a refusal by the rules is an answer too
 * @throws {RequestError} 400 for a body that cannot be read or an unknown action; the gateway's errors otherwise
 */
export async function runAction(body: unknown, call: Call, services: Services): Promise<ActionAnswer> {
  const { action, vaultAddress, expiresAfter, dryRun } = readEnvelope(body);
  if ('dryRun' in action) throw contradiction('action.dryRun must stand beside action, not in it');
  const { type } = action;
  if (!isKnown(type)) throw unreadable(`unknown action type ${quoted(type)}`);
  const refusedNonce = dryRun === true ? undefined : await call.lab?.useNonce?.((body as { readonly nonce?: unknown }).nonce);
  if (refusedNonce !== undefined) return refusal(refusedNonce);
  const named = actingCall({ type, vaultAddress }, call, services.ownAccounts);
  const acting = named instanceof Promise ? await named : named;
  if ('status' in acting) return acting;
  const context = { call: acting, services, expiresAfterMs: expiresAfter ?? undefined };
  if (dryRun === true) return await tryOut(action, context);
  const command = commands.get(type);
  if (command) return await command.run(action, context);
  if (expiresAfter != null && services.now() > expiresAfter) return refusal(REFUSALS.expired);
  const refused = findRefusal(type);
  return refused === undefined ? await (answeredHere.get(type) as Routed).run(action, context) : refusal(refused);
}

const isKnown = (type: string): boolean => commands.has(type) || answeredHere.has(type) || findRefusal(type) !== undefined;

/** What an action would do. One that is refused in any case is refused in the same words. */
async function tryOut(action: { readonly type: string }, context: ActionContext): Promise<ActionAnswer> {
  const { type } = action;
  const command = DRY_RUN_TYPES.has(type) ? commands.get(type) : undefined;
  if (command) return await runDry((dry) => command.run(action, dry), context);
  const refused = findRefusal(type);
  return refused === undefined ? dryRunRefusal(type) : refusal(refused);
}
