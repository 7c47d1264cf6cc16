// `reserveRequestWeight`: pays for actions beyond the address limit. Only for the own account: a `destination` is refused. What it pays is no
// loss by which a key with limits of trading is held, so such a key pays nothing.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { described } from '../contract/named.ts';
import { absentOr, WholeNumber } from '../http/requestReader.ts';
import { Done } from './actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from './actionType.ts';

const LIMITED_KEY = 'This API key has limits of trading, so it pays for no request weight: use another key.';
const FOR_ANOTHER = 'Request weight cannot be reserved for another user on a paper trading account.';

export const reserveRequestWeight = actionType({
  type: 'reserveRequestWeight',
  price: 'one',
  about: 'Pays 0.0005 USD from cash for each action that the address limit then allows more.',
  answers: Done,
  example: { type: 'reserveRequestWeight', weight: 10 },
  schema: Type.Object({
    type: Type.Literal('reserveRequestWeight'),
    weight: described(WholeNumber, 'Actions to pay for.'),
    destination: described(absentOr(Type.String({ expected: 'an address' })), 'Another user: refused.'),
  }),
  async run({ weight, destination }, context) {
    if (context.call.caller.guard !== undefined) return refusal(LIMITED_KEY);
    if (destination != null) return refusal(FOR_ANOTHER);
    const outcome = await sendCommand(context, { type: 'reserveRequests', weight });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `reserveRequestWeight is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
