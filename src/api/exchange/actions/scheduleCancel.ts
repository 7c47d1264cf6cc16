// `scheduleCancel`: the dead man's switch. With a time the switch is set or moved, without one it is removed.
import { Type } from '@sinclair/typebox';
import { assert } from '../../../shared/domain/assert.ts';
import { described } from '../../contract/named.ts';
import { absentOr, TimeMs } from '../../http/requestReader.ts';
import { Done } from '../actionAnswers.ts';
import { actionType, DONE, refusal, sendCommand } from '../actionType.ts';

export const scheduleCancel = actionType({
  type: 'scheduleCancel',
  price: 'one',
  about: 'The dead man’s switch: ends all open orders at a time, or, without one, is switched off.',
  answers: Done,
  example: { type: 'scheduleCancel' },
  schema: Type.Object({
    type: Type.Literal('scheduleCancel'),
    time: described(absentOr(TimeMs), 'When all open orders end.'),
  }),
  async run({ time }, context) {
    const outcome = await sendCommand(context, { type: 'scheduleCancel', ...(time != null && { dueMs: time }) });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `scheduleCancel is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
