// `twapCancel`: ends a running TWAP by its id.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../../shared/domain/assert.ts';
import { described, named } from '../../../contract/named.ts';
import { WholeNumber } from '../../../http/requestReader.ts';
import { TwapCanceled } from '../../actionAnswers.ts';
import { actionType, refusal, sendCommand } from '../../actionType.ts';
import { publishedTwap, twapEnvelope, twapFields } from './twapFields.ts';

const Fields = named(
  'TwapCancelRequest',
  Type.Object({ a: described(WholeNumber, 'Asset id.'), t: described(WholeNumber, 'Id of the TWAP.') }),
);
const readFields = twapFields(Fields);
const OUTSIDE = { type: Type.Literal('twapCancel') };

export const twapCancel = actionType({
  type: 'twapCancel',
  price: 'one',
  about: 'Ends a running TWAP.',
  schema: twapEnvelope(OUTSIDE),
  published: publishedTwap(OUTSIDE, Fields),
  answers: TwapCanceled,
  example: { type: 'twapCancel', twap: { a: 0, t: 1 } },
  async run(action, context) {
    const { a, t } = readFields(action);
    const outcome = await sendCommand(context, { type: 'cancelTwap', asset: a, twapId: t });
    if (outcome.type === 'refused') return refusal(outcome.text);
    if (outcome.type === 'twapRefused') return toAnswer({ error: outcome.text });
    assert(outcome.type === 'done', `twapCancel is answered by done, not ${outcome.type}`);
    return toAnswer('success');
  },
});

const toAnswer = (status: 'success' | { readonly error: string }) =>
  ({ status: 'ok', response: { type: 'twapCancel', data: { status } } }) as const;
