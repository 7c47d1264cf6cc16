// `cancelByCloid`: ends open orders by the client's ids. Its field names are not those of `cancel`.
import { Type } from '@sinclair/typebox';
import { absentOr, CloidText, WholeNumber } from '../requestReader.ts';
import { actionType, batchRefusal, sendCommand } from './actionType.ts';
import { toCancelAnswer } from './cancelAnswer.ts';

export const cancelByCloid = actionType({
  type: 'cancelByCloid',
  schema: Type.Object({
    type: Type.Literal('cancelByCloid'),
    cancels: Type.Array(Type.Object({ asset: WholeNumber, cloid: CloidText }), { expected: 'an array of cancels' }),
    /** Fast: not for orders that wait for their trigger. */
    f: absentOr(Type.Boolean({ expected: 'a boolean' })),
  }),
  async run({ cancels, f }, context) {
    const refused = batchRefusal(cancels);
    if (refused) return refused;
    const targets = cancels.map(({ asset, cloid }) => ({ asset, target: { cloid: cloid.toLowerCase() } }));
    return toCancelAnswer(
      await sendCommand(context, { type: 'cancelOrders', cancels: targets, ...(f === true && { isFast: true }) }),
    );
  },
});
