// Actions that stock clients send in passing and that do nothing here: no wallet, agent or referrer counts, no
// builder is paid, no nonce is kept and no weight can be reserved. They answer ok, so that the client goes on.
import { Type } from '@sinclair/typebox';
import { Done } from './actionAnswers.ts';
import { actionType, DONE } from './actionType.ts';

const TYPES = ['approveAgent', 'approveBuilderFee', 'noop', 'reserveRequestWeight', 'setReferrer'] as const;

/** One action each; other fields are ignored. */
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
