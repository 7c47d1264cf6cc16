// The actions about sub-accounts: make one, rename it, move USD to it and back; their fields, and who may send them.

import { Type } from '@sinclair/typebox';
import { subAccountAddress } from '../../shared/access/subAccountAddress.ts';
import { assert } from '../../shared/domain/assert.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Caller } from '../access/keyRecord.ts';
import { type ListedSubAccount, sendOptionsOf } from '../accounts/services.ts';
import { described } from '../contract/named.ts';
import { isShownName, SubAccountName } from '../contract/requestValues.ts';
import { AddressText, WholeNumber } from '../http/requestReader.ts';
import { Done, SubAccountCreated } from './actionAnswers.ts';
import { type ActionAnswer, type ActionContext, actionType, DONE, refusal, sendCommand } from './actionType.ts';

const SubAccountUser = described(AddressText, 'Address of the sub-account.');

/** @returns why the user’s accounts are out of the key’s reach, or the name is none */
function refusalOfName(name: string): ActionAnswer | undefined {
  return isShownName(name) ? undefined : refusal('Sub-account names consist of visible characters.');
}

/** A key that is bound to one account must not reach the others, nor their number. */
function refusalOfBound({ call }: ActionContext): ActionAnswer | undefined {
  return call.caller.isBound
    ? refusal('This API key is bound to one account: sub-accounts are made, renamed and funded with a key that is not.')
    : undefined;
}

/** @throws {RequestError} as the gateway does */
async function findSubAccount({ call, services }: ActionContext, address: string): Promise<ListedSubAccount | undefined> {
  const wanted = address.toLowerCase();
  return (await services.ownAccounts.list(call)).find((one) => one.address === wanted);
}

/** In the words of the venue. */
const notRegistered = ({ call }: ActionContext, address: string): ActionAnswer =>
  refusal(`Sub-account ${address.toLowerCase()} is not registered to ${call.caller.master}`);

// `createSubAccount`: one more account of the user, empty. Its address follows from the master's and the number that the master
// gives it, so a repeated request with the same Idempotency-Key answers the same one.

export const createSubAccount = actionType({
  type: 'createSubAccount',
  price: 'one',
  about: 'Makes a sub-account: an account of its own, empty, for ever. A plan has 10 or 50.',
  answers: SubAccountCreated,
  example: { type: 'createSubAccount', name: 'grid' },
  schema: Type.Object({ type: Type.Literal('createSubAccount'), name: SubAccountName }),
  async run({ name }, context) {
    const { call, services } = context;
    const refused = refusalOfBound(context) ?? refusalOfName(name);
    if (refused) return refused;
    // Before it is made: what has to reach all accounts of a user must know that it may exist.
    const limit = await services.ownAccounts.makeRoom(call.caller);
    const outcome = await sendCommand(context, { type: 'createSubAccount', name, limit });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'subAccountCreated', `createSubAccount is answered by subAccountCreated, not ${outcome.type}`);
    const data = subAccountAddress(call.caller.master, outcome.number);
    return { status: 'ok', response: { type: 'createSubAccount', data } };
  },
});

// `subAccountModify`: another name for a sub-account.

export const subAccountModify = actionType({
  type: 'subAccountModify',
  price: 'one',
  about: 'Renames a sub-account.',
  answers: Done,
  example: { type: 'subAccountModify', subAccountUser: '0x00000000000000000000000000000000000000bb', name: 'hedge' },
  schema: Type.Object({
    type: Type.Literal('subAccountModify'),
    subAccountUser: SubAccountUser,
    name: SubAccountName,
  }),
  async run({ subAccountUser, name }, context) {
    const refused = refusalOfBound(context) ?? refusalOfName(name);
    if (refused) return refused;
    const found = await findSubAccount(context, subAccountUser);
    if (found === undefined) return notRegistered(context, subAccountUser);
    const outcome = await sendCommand(context, { type: 'renameSubAccount', number: found.number, name });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `renameSubAccount is answered by done, not ${outcome.type}`);
    return DONE;
  },
});

// `subAccountTransfer`: USD from the master account to a sub-account, or back. Three commands: the sender gives it away under a
// number, the receiver takes it under that number, and the sender learns that. The first one decides. When this node dies after it,
// the sender's own account delivers (docs/adr/0021-sub-accounts.md), so money is nowhere twice and never lost.

const MICRO_PER_USD = 1_000_000;

export const subAccountTransfer = actionType({
  type: 'subAccountTransfer',
  price: 'one',
  about: 'Moves USD between the master account and a sub-account, exactly once.',
  answers: Done,
  example: {
    type: 'subAccountTransfer',
    subAccountUser: '0x00000000000000000000000000000000000000bb',
    isDeposit: true,
    usd: 1_000_000,
  },
  schema: Type.Object({
    type: Type.Literal('subAccountTransfer'),
    subAccountUser: SubAccountUser,
    isDeposit: described(Type.Boolean({ expected: 'a boolean' }), '`true`: from the master account to the sub-account.'),
    usd: described(WholeNumber, 'Millionths of a USD.'),
  }),
  async run({ subAccountUser, isDeposit, usd: micro }, context) {
    const refused = refusalOfBound(context);
    if (refused) return refused;
    const found = await findSubAccount(context, subAccountUser);
    const { caller } = context.call;
    if (found === undefined) {
      const [from, to] = isDeposit
        ? [caller.master, subAccountUser.toLowerCase()]
        : [subAccountUser.toLowerCase(), caller.master];
      return refusal(`Invalid sub-account transfer from ${from} to ${to}`);
    }
    const sub: Caller = { ...caller, accountId: found.address, address: found.address };
    const [sender, receiver] = isDeposit ? [caller, sub] : [sub, caller];
    const usd = new Decimal(micro).div(MICRO_PER_USD).toString();
    const ofSender = { ...context, call: { ...context.call, caller: sender } };
    const outcome = await sendCommand(ofSender, { type: 'sendTransfer', to: receiver.accountId, usd });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'transferSent', `sendTransfer is answered by transferSent, not ${outcome.type}`);
    const { number, after } = outcome;
    await deliver(context, { sender, receiver }, { number, after, usd });
    return DONE;
  },
});

/** Commands that may come any number of times. @throws {RequestError} 504 when the receiver, or the sender, has not answered */
async function deliver(
  { call, services }: ActionContext,
  { sender, receiver }: { readonly sender: Caller; readonly receiver: Caller },
  { number, after, usd }: { readonly number: number; readonly after: number; readonly usd: string },
): Promise<void> {
  const { gateway } = services;
  const [from, to] = [sender.accountId, receiver.accountId];
  const receive = { type: 'receiveTransfer', from, number, after, usd } as const;
  try {
    const received = await gateway.send(to, receive, sendOptionsOf({ ...call, caller: receiver }));
    if (received.type !== 'done') throw underWay(number);
    await gateway.send(from, { type: 'settleTransfer', to, number }, sendOptionsOf({ ...call, caller: sender }));
  } catch (error) {
    // Whatever the step says of itself: the money has left the sender, so it is not true that nothing was done.
    throw error instanceof RequestError ? underWay(number) : error;
  }
}

const underWay = (number: number): RequestError =>
  new RequestError(
    504,
    'outcome_unknown',
    `The transfer ${number} has left its account and is under way: it arrives by itself, once. Ask for the account’s ledger, or repeat ` +
      'the request with the same Idempotency-Key; without one it would be another transfer.',
  );
