// `topUpIsolatedOnlyMargin`: adds what is missing of an isolated position's margin for a leverage.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../shared/domain/assert.ts';
import { described } from '../../contract/named.ts';
import { DecimalText, WholeNumber } from '../../http/requestReader.ts';
import { Done } from '../actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from '../actionType.ts';

export const topUpIsolatedOnlyMargin = actionType({
  type: 'topUpIsolatedOnlyMargin',
  price: 'one',
  about: 'What is missing of an isolated position’s margin for a leverage moves in; nothing, where it has as much.',
  answers: Done,
  example: { type: 'topUpIsolatedOnlyMargin', asset: 0, leverage: '5.0' },
  schema: Type.Object({
    type: Type.Literal('topUpIsolatedOnlyMargin'),
    asset: described(WholeNumber, 'Asset id.'),
    leverage: described(
      DecimalText,
      'Position value by margin, above 0; need not be whole. The leverage set for the coin stays.',
    ),
  }),
  async run({ asset, leverage }, context) {
    const outcome = await sendCommand(context, { type: 'topUpIsolatedMargin', asset, leverage });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `topUpIsolatedOnlyMargin is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
