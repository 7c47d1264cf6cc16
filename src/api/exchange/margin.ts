// The margin of one coin. `updateLeverage` sets margin mode and leverage. `updateIsolatedMargin` adds USD to an isolated position or removes
// it. `topUpIsolatedOnlyMargin` adds the margin that is missing for a leverage.
//
// The rules decide whether a number is a legal leverage, so every number reaches the account; only a value that is no number is unreadable.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { described } from '../contract/named.ts';
import { DecimalText, WholeNumber } from '../http/requestReader.ts';
import { Done } from './actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from './actionType.ts';

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
