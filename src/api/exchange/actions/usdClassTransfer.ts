// `usdClassTransfer`: between the spot and the perp pocket of the venue. There is one pocket here, so the other one is
// always empty and nothing can be moved.
import { Type } from '@sinclair/typebox';
import { Refused } from '../actionAnswers.ts';
import { actionType, refusal } from '../actionType.ts';

export const usdClassTransfer = actionType({
  type: 'usdClassTransfer',
  about: 'Between spot and perps: there is one pocket here, so it is always refused.',
  answers: Refused,
  example: { type: 'usdClassTransfer' },
  schema: Type.Object({ type: Type.Literal('usdClassTransfer') }),
  run: () => refusal('Insufficient balance for token transfer.'),
});
