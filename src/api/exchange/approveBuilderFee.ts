// `approveBuilderFee`: ok without effect. ccxt repeats it before every order until it succeeds, and no builder is paid.
import { Type } from '@sinclair/typebox';
import { actionType, DONE } from './actionType.ts';

export const approveBuilderFee = actionType({
  type: 'approveBuilderFee',
  schema: Type.Object({ type: Type.Literal('approveBuilderFee') }),
  run: () => DONE,
});
