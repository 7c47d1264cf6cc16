// `updateLeverage`: margin mode and leverage of one coin. The rules decide whether a number is a legal leverage, so
// every number reaches the account; only a value that is no number is unreadable.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../shared/domain/assert.ts';
import { described } from '../../contract/named.ts';
import { WholeNumber } from '../../http/requestReader.ts';
import { Done } from '../actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from '../actionType.ts';

export const updateLeverage = actionType({
  type: 'updateLeverage',
  price: 'one',
  about: 'Margin mode and leverage of one coin.',
  answers: Done,
  example: { type: 'updateLeverage', asset: 0, isCross: true, leverage: 10 },
  schema: Type.Object({
    type: Type.Literal('updateLeverage'),
    asset: described(WholeNumber, 'Asset id.'),
    isCross: Type.Boolean({ expected: 'a boolean' }),
    leverage: described(Type.Number({ expected: 'a number' }), 'A whole number from 1 to what the asset allows.'),
  }),
  async run({ asset, isCross, leverage }, context) {
    const marginMode = isCross ? 'cross' : 'isolated';
    const outcome = await sendCommand(context, { type: 'updateLeverage', asset, marginMode, leverage });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `updateLeverage is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
