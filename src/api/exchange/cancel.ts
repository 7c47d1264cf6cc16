// `cancel`: ends open orders by our ids.
import { Type } from '@sinclair/typebox';
import { absentOr, WholeNumber } from '../requestReader.ts';
import { actionType, batchRefusal, sendCommand } from './actionType.ts';
import { toCancelAnswer } from './cancelAnswer.ts';

export const cancel = actionType({
  type: 'cancel',
  schema: Type.Object({
    type: Type.Literal('cancel'),
    /** `a` asset id, `o` order id. */
    cancels: Type.Array(Type.Object({ a: WholeNumber, o: WholeNumber }), { expected: 'an array of cancels' }),
    /** Fast: not for orders that wait for their trigger. */
    f: absentOr(Type.Boolean({ expected: 'a boolean' })),
  }),
  async run({ cancels, f }, context) {
    const refused = batchRefusal(cancels);
    if (refused) return refused;
    const targets = cancels.map(({ a, o }) => ({ asset: a, target: { oid: o } }));
    return toCancelAnswer(
      await sendCommand(context, { type: 'cancelOrders', cancels: targets, ...(f === true && { isFast: true }) }),
    );
  },
});
