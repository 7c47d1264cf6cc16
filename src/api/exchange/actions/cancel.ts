// `cancel`: ends open orders by our ids.
import { Type } from '@sinclair/typebox';
import { described, named } from '../../contract/named.ts';
import { absentOr, WholeNumber } from '../../http/requestReader.ts';
import { CancelsAnswer } from '../actionAnswers.ts';
import { actionType, batchRefusal, sendCommand } from '../actionType.ts';
import { toCancelAnswer } from './cancelAnswer.ts';

export const cancel = actionType({
  type: 'cancel',
  price: 'cancels',
  about: 'Ends open orders by our ids.',
  answers: CancelsAnswer,
  example: { type: 'cancel', cancels: [{ a: 0, o: 16_000_003 }] },
  schema: Type.Object({
    type: Type.Literal('cancel'),
    cancels: described(
      Type.Array(
        named('CancelRequest', Type.Object({ a: described(WholeNumber, 'Asset id.'), o: described(WholeNumber, 'Order id.') })),
        {
          expected: 'an array of cancels',
        },
      ),
      '`a` asset id, `o` order id.',
    ),
    f: described(absentOr(Type.Boolean({ expected: 'a boolean' })), 'Fast: not for orders that wait for their trigger.'),
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
