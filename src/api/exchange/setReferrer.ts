// `setReferrer`: ok without effect. ccxt repeats it before every order until it succeeds, and there are no referrals.
import { Type } from '@sinclair/typebox';
import { actionType, DONE } from './actionType.ts';

export const setReferrer = actionType({
  type: 'setReferrer',
  schema: Type.Object({ type: Type.Literal('setReferrer') }),
  run: () => DONE,
});
