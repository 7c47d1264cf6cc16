// Actions that stock clients send in passing and that have nothing to do here: no wallet, no agent and no referrer counts,
// no builder is paid, no nonce is kept and no weight can be reserved. They answer ok, so that the client goes on.
import { Type } from '@sinclair/typebox';
import { Done } from './actionAnswers.ts';
import { actionType, DONE } from './actionType.ts';

const TYPES = ['approveAgent', 'approveBuilderFee', 'noop', 'reserveRequestWeight', 'setReferrer'] as const;

/** One action each; whatever else they carry is not looked at. */
export const okWithoutEffect = TYPES.map((type) =>
  actionType({
    type,
    about: 'Accepted and without effect.',
    schema: Type.Object({ type: Type.Literal(type) }),
    answers: Done,
    example: { type },
    run: () => DONE,
  }),
);
