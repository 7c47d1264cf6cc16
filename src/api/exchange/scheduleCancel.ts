// `scheduleCancel`: the dead man's switch. With a time it is set or put off, without one it is removed.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { absentOr, TimeMs } from '../requestReader.ts';
import { actionType, DONE, refusal, sendCommand } from './actionType.ts';

export const scheduleCancel = actionType({
  type: 'scheduleCancel',
  schema: Type.Object({
    type: Type.Literal('scheduleCancel'),
    /** When all open orders end. */
    time: absentOr(TimeMs),
  }),
  async run({ time }, context) {
    const outcome = await sendCommand(context, { type: 'scheduleCancel', ...(time != null && { dueMs: time }) });
    if (outcome.type === 'refused') return refusal(outcome.text);
    assert(outcome.type === 'done', `scheduleCancel is answered by done, not ${outcome.type}`);
    return DONE;
  },
});
