// The actions of a TWAP, an order that is executed in slices: `twapOrder` starts it, `twapCancel` ends it by its id. Their fields stand in an
// object `twap`, as at the venue, or beside `type`.
import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { described, named } from '../contract/named.ts';
import { absentOr, compileReader, DecimalText, WholeNumber } from '../http/requestReader.ts';
import { TwapCanceled, TwapStarted } from './actionAnswers.ts';
import { actionType, refusal, sendCommand } from './actionType.ts';

/** The schema of the action without its fields, which `twapFields` reads. */
const twapEnvelope = <T extends TProperties>(fields: T) =>
  Type.Object({ ...fields, twap: absentOr(Type.Object({}, { expected: 'an object' })) });

/** The schema of the action as it is published: its fields in an object `twap`. */
const publishedTwap = <T extends TProperties, F extends TProperties>(outside: T, fields: TObject<F>) =>
  Type.Object({ ...outside, twap: described(fields, 'The fields; they may stand beside `type` as well.') });

/** A reader of the fields in either place. @throws {RequestError} 400 that names the first fault */
function twapFields<T extends TProperties>(fields: TObject<T>) {
  const read = compileReader(fields);
  return (action: { readonly twap?: object | null }) => read(action.twap ?? action);
}

// A refusal stands inside an answer that is ok, as at the venue.

const Flag = Type.Boolean({ expected: 'a boolean' });

const Fields = named(
  'TwapRequest',
  Type.Object({
    a: described(WholeNumber, 'Asset id.'),
    b: described(Flag, 'True = buy.'),
    s: described(DecimalText, 'Size of all slices together, coins.'),
    r: described(absentOr(Flag), 'Reduce-only; absent = no.'),
    m: described(Type.Number({ expected: 'a number' }), 'Minutes. Whether they are a legal duration is a rule.'),
    t: described(absentOr(Flag), 'Random sizes of the slices; absent = no.'),
  }),
);
const readFields = twapFields(Fields);
const OUTSIDE = {
  type: Type.Literal('twapOrder'),
  details: described(
    absentOr(
      named(
        'TwapPrices',
        Type.Object(
          {
            t: described(
              absentOr(named('TwapStart', Type.Object({ p: DecimalText, a: Flag }, { expected: '{p, a}' }))),
              'Starts it when the mark is at `p`, or beyond: above where `a` is true, else below. Absent or `null`: it starts at once.',
            ),
            s: described(
              absentOr(DecimalText),
              'Ends it when the mark is there: at or above it for a buy, at or below it for a sell. Absent or `null`: nothing does.',
            ),
          },
          { expected: 'an object' },
        ),
      ),
    ),
    'Price to start at (`t`) and price to stop at (`s`).',
  ),
};

export const twapOrder = actionType({
  type: 'twapOrder',
  price: 'one',
  about: 'Works an order off in slices.',
  schema: twapEnvelope(OUTSIDE),
  published: publishedTwap(OUTSIDE, Fields),
  answers: TwapStarted,
  example: { type: 'twapOrder', twap: { a: 0, b: true, s: '0.1', r: false, m: 5, t: false } },
  async run(action, context) {
    const { a, b, s, r, m, t } = readFields(action);
    const { t: trigger, s: stopPrice } = action.details ?? {};
    const prices = {
      ...(trigger != null && { trigger: { price: trigger.p, above: trigger.a } }),
      ...(stopPrice != null && { stopPrice }),
    };
    const side = b ? 'buy' : 'sell';
    const flags = { reduceOnly: r ?? false, randomize: t ?? false };
    const outcome = await sendCommand(context, { type: 'startTwap', asset: a, side, size: s, minutes: m, ...flags, ...prices });
    if (outcome.type === 'refused') return refusal(outcome.text);
    if (outcome.type === 'twapRefused') return toAnswer({ error: outcome.text });
    assert(outcome.type === 'twapRunning', `twapOrder is answered by twapRunning, not ${outcome.type}`);
    return toAnswer({ running: { twapId: outcome.twapId } });
  },
});

const toAnswer = (status: object) => ({ status: 'ok', response: { type: 'twapOrder', data: { status } } }) as const;

const CancelFields = named(
  'TwapCancelRequest',
  Type.Object({ a: described(WholeNumber, 'Asset id.'), t: described(WholeNumber, 'Id of the TWAP.') }),
);
const readCancel = twapFields(CancelFields);
const OUTSIDE_OF_CANCEL = { type: Type.Literal('twapCancel') };

export const twapCancel = actionType({
  type: 'twapCancel',
  price: 'one',
  about: 'Ends a running TWAP.',
  schema: twapEnvelope(OUTSIDE_OF_CANCEL),
  published: publishedTwap(OUTSIDE_OF_CANCEL, CancelFields),
  answers: TwapCanceled,
  example: { type: 'twapCancel', twap: { a: 0, t: 1 } },
  async run(action, context) {
    const { a, t } = readCancel(action);
    const outcome = await sendCommand(context, { type: 'cancelTwap', asset: a, twapId: t });
    if (outcome.type === 'refused') return refusal(outcome.text);
    if (outcome.type === 'twapRefused') return toCancelAnswer({ error: outcome.text });
    assert(outcome.type === 'done', `twapCancel is answered by done, not ${outcome.type}`);
    return toCancelAnswer('success');
  },
});

const toCancelAnswer = (status: 'success' | { readonly error: string }) =>
  ({ status: 'ok', response: { type: 'twapCancel', data: { status } } }) as const;
