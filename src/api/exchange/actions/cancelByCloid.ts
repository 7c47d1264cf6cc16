// `cancelByCloid`: ends open orders by the client's ids. Its field names are not those of `cancel`.
import { Type } from '@sinclair/typebox';
import { described, named } from '../../contract/named.ts';
import { absentOr, CloidText, WholeNumber } from '../../http/requestReader.ts';
import { CancelsAnswer } from '../actionAnswers.ts';
import { actionType, batchRefusal, sendCommand } from '../actionType.ts';
import { toCancelAnswer } from './cancelAnswer.ts';

export const cancelByCloid = actionType({
  type: 'cancelByCloid',
  price: 'cancels',
  about: 'Ends open orders by the client’s ids.',
  answers: CancelsAnswer,
  example: { type: 'cancelByCloid', cancels: [{ asset: 0, cloid: '0x1234567890abcdef1234567890abcdef' }] },
  schema: Type.Object({
    type: Type.Literal('cancelByCloid'),
    cancels: Type.Array(
      named('CancelByCloidRequest', Type.Object({ asset: described(WholeNumber, 'Asset id.'), cloid: CloidText })),
      {
        expected: 'an array of cancels',
      },
    ),
    f: described(absentOr(Type.Boolean({ expected: 'a boolean' })), 'Fast: not for orders that wait for their trigger.'),
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
