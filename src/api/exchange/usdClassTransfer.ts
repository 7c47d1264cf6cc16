// `usdClassTransfer`: between the spot and the perp pocket of the venue. There is one pocket here, so the other one is
// always empty and nothing can be moved.
import { Type } from '@sinclair/typebox';
import { actionType, refusal } from './actionType.ts';

export const usdClassTransfer = actionType({
  type: 'usdClassTransfer',
  schema: Type.Object({ type: Type.Literal('usdClassTransfer') }),
  run: () => refusal('Insufficient balance for token transfer.'),
});
