// Actions that stock clients send in passing and that do nothing here: no wallet, agent or referrer counts, no
// builder is paid and no nonce is kept. They answer ok, so that the client goes on.
import { Type } from '@sinclair/typebox';
import { Done } from './actionAnswers.ts';
import { actionType, DONE } from './actionType.ts';

const TYPES = ['approveAgent', 'approveBuilderFee', 'noop', 'setReferrer'] as const;

/** One action each; other fields are ignored. */
export const okWithoutEffect = TYPES.map((type) =>
  actionType({
    type,
    price: 'one',
    about: 'Accepted and without effect.',
    schema: Type.Object({ type: Type.Literal(type) }),
    answers: Done,
    example: { type },
    run: () => DONE,
  }),
);
