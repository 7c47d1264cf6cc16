// `subAccountTransfer`: USD from the master account to a sub-account, or back. Three commands: the sender gives it away under a
// number, the receiver takes it under that number, and the sender learns that. The first one decides. When this node dies after it,
// the sender's own account delivers (docs/adr/0021-sub-accounts.md), so money is nowhere twice and never lost.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../../shared/domain/assert.ts';
import { Decimal } from '../../../../shared/domain/decimal.ts';
import { RequestError } from '../../../../shared/errors.ts';
import type { Caller } from '../../../access/caller.ts';
import { sendOptionsOf } from '../../../accounts/services.ts';
import { described } from '../../../contract/named.ts';
import { WholeNumber } from '../../../http/requestReader.ts';
import { Done } from '../../actionAnswers.ts';
import { type ActionContext, actionType, DONE, refusal, sendCommand } from '../../actionType.ts';
import { findSubAccount, refusalOfBound, SubAccountUser } from './subAccountFields.ts';

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
