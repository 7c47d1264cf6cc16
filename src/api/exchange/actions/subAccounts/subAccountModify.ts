// `subAccountModify`: another name for a sub-account.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../../shared/domain/assert.ts';
import { SubAccountName } from '../../../contract/requestValues.ts';
import { Done } from '../../actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from '../../actionType.ts';
import { findSubAccount, notRegistered, refusalOfBound, refusalOfName, SubAccountUser } from './subAccountFields.ts';

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
