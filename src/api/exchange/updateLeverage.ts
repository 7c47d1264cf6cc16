// `updateLeverage`: margin mode and leverage of one coin. Whether the number is a legal leverage is a rule, so any number
// reaches the account; only what is no number at all is unreadable.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { WholeNumber } from '../requestReader.ts';
import { actionType, DONE, refusal, sendCommand } from './actionType.ts';

export const updateLeverage = actionType({
  type: 'updateLeverage',
  schema: Type.Object({
    type: Type.Literal('updateLeverage'),
    asset: WholeNumber,
    isCross: Type.Boolean({ expected: 'a boolean' }),
    leverage: Type.Number({ expected: 'a number' }),
  }),
  async run({ asset, isCross, leverage }, context) {
    const marginMode = isCross ? 'cross' : 'isolated';
    const outcome = await sendCommand(context, { type: 'updateLeverage', asset, marginMode, leverage });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `updateLeverage is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
