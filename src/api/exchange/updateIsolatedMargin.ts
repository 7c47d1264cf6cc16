// `updateIsolatedMargin`: USD into the bucket of an isolated position, or out of it.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { WholeNumber } from '../requestReader.ts';
import { actionType, DONE, refusal, sendCommand } from './actionType.ts';

const MICRO_USD = 1_000_000;

export const updateIsolatedMargin = actionType({
  type: 'updateIsolatedMargin',
  schema: Type.Object({
    type: Type.Literal('updateIsolatedMargin'),
    asset: WholeNumber,
    /** Without effect: `ntli` has the sign. */
    isBuy: Type.Boolean({ expected: 'a boolean' }),
    /** Micro-USD; negative takes margin out. */
    ntli: Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, expected: 'an integer' }),
  }),
  async run({ asset, ntli }, context) {
    const usd = new Decimal(ntli).div(MICRO_USD).toString();
    const outcome = await sendCommand(context, { type: 'updateIsolatedMargin', asset, usd });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `updateIsolatedMargin is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
