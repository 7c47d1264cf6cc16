// `twapOrder`: an order that is worked off in slices. A refusal of its own is inside an answer that is ok, as the venue has it.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { absentOr, DecimalText, WholeNumber } from '../requestReader.ts';
import { actionType, refusal, sendCommand } from './actionType.ts';
import { twapEnvelope, twapFields } from './twapFields.ts';

const Flag = Type.Boolean({ expected: 'a boolean' });

const readFields = twapFields(
  Type.Object({
    /** Asset id. */
    a: WholeNumber,
    /** True = buy. */
    b: Flag,
    /** Size of all slices together, coins. */
    s: DecimalText,
    /** Reduce-only; absent = no. */
    r: absentOr(Flag),
    /** Minutes. Whether they are a legal duration is a rule. */
    m: Type.Number({ expected: 'a number' }),
    /** Random sizes of the slices; absent = no. */
    t: absentOr(Flag),
  }),
);

export const twapOrder = actionType({
  type: 'twapOrder',
  schema: twapEnvelope({
    type: Type.Literal('twapOrder'),
    /** Price to start at (`t`) and price to stop at (`s`). */
    details: absentOr(Type.Object({ t: Type.Optional(Type.Unknown()), s: Type.Optional(Type.Unknown()) })),
  }),
  async run(action, context) {
    const { a, b, s, r, m, t } = readFields(action);
    if (action.details?.t != null || action.details?.s != null) {
      return refusal('TWAP orders with a trigger or a stop price are not available.');
    }
    const side = b ? 'buy' : 'sell';
    const flags = { reduceOnly: r ?? false, randomize: t ?? false };
    const outcome = await sendCommand(context, { type: 'startTwap', asset: a, side, size: s, minutes: m, ...flags });
    if (outcome.type === 'refused') return refusal(outcome.text);
    if (outcome.type === 'twapRefused') return toAnswer({ error: outcome.text });
    assert(outcome.type === 'twapRunning', `twapOrder is answered by twapRunning, not ${outcome.type}`);
    return toAnswer({ running: { twapId: outcome.twapId } });
  },
});

const toAnswer = (status: object) => ({ status: 'ok', response: { type: 'twapOrder', data: { status } } }) as const;
