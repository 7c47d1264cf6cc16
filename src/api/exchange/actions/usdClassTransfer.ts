// `usdClassTransfer`: moves USD between spot and perps at the venue. There is no spot balance here, so the transfer
// is always refused.
import { Type } from '@sinclair/typebox';
import { Refused } from '../actionAnswers.ts';
import { actionType, refusal } from '../actionType.ts';

export const usdClassTransfer = actionType({
  type: 'usdClassTransfer',
  price: 'one',
  about: 'Between spot and perps: there is no spot balance here, so it is always refused.',
  answers: Refused,
  example: { type: 'usdClassTransfer' },
  schema: Type.Object({ type: Type.Literal('usdClassTransfer') }),
  run: () => refusal('Insufficient balance for token transfer.'),
});
