// `createSubAccount`: one more account of the user, empty. Its address follows from the master's and the number that the master
// gives it, so a repeated request with the same Idempotency-Key answers the same one.
import { Type } from '@sinclair/typebox';
import { subAccountAddress } from '../../../../shared/access/subAccountAddress.ts';
import { assert } from '../../../../shared/domain/assert.ts';
import { SubAccountName } from '../../../contract/requestValues.ts';
import { SubAccountCreated } from '../../actionAnswers.ts';
import { actionType, refusal, sendCommand } from '../../actionType.ts';
import { refusalOfBound, refusalOfName } from './subAccountFields.ts';

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
