// `updateIsolatedMargin`: adds USD to the margin of an isolated position, or removes it.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { described } from '../../contract/named.ts';
import { WholeNumber } from '../../http/requestReader.ts';
import { Done } from '../actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from '../actionType.ts';

const MICRO_USD = 1_000_000;

export const updateIsolatedMargin = actionType({
  type: 'updateIsolatedMargin',
  price: 'one',
  about: 'USD into the margin of an isolated position, or out of it.',
  answers: Done,
  example: { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 1_000_000 },
  schema: Type.Object({
    type: Type.Literal('updateIsolatedMargin'),
    asset: described(WholeNumber, 'Asset id.'),
    isBuy: described(Type.Boolean({ expected: 'a boolean' }), 'Without effect: `ntli` has the sign.'),
    ntli: described(
      Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, expected: 'an integer' }),
      'Micro-USD; negative takes margin out.',
    ),
  }),
  async run({ asset, ntli }, context) {
    const usd = new Decimal(ntli).div(MICRO_USD).toString();
    const outcome = await sendCommand(context, { type: 'updateIsolatedMargin', asset, usd });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `updateIsolatedMargin is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
