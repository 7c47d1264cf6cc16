// A draw of a failure lab as it is shown beside the order that it concerns (docs/failure-lab.md).
import { Type } from '@sinclair/typebox';
import type { OrderNote } from '../../../actors/core/messages/labNote.ts';
import { LAB_FAULTS } from '../../../shared/domain/labProfile.ts';
import { type AnswerFor, ApiKeyId, Count, EpochMs, exactly, orNull, words } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';

const Ms = orNull(Count);

export const LabDraw = named(
  'LabDraw',
  exactly({
    act: described(named('LabAct', words('place', 'modify', 'cancel')), 'What the request did to the order, or tried to do.'),
    keyId: ApiKeyId,
    number: described(Count, 'Of the request among those that the profile has drawn for, from 1 on.'),
    time: described(EpochMs, 'When the request came.'),
    draw: described(Type.Number(), 'In [0, 1): decides about faults.'),
    fault: orNull(named('LabFault', words(...LAB_FAULTS))),
    delayMs: described(Ms, 'How long the action waited in the account before it was decided.'),
    answerMs: described(Ms, 'How long its answer was held back.'),
    script: orNull(
      named(
        'LabOrderScript',
        exactly({
          cloidPrefix: described(orNull(Type.String()), 'null: `partialFill` was drawn.'),
          draw: described(orNull(Type.Number()), 'The draw of `partialFill`.'),
          refuse: orNull(Type.String()),
          fillPercent: orNull(Count),
          fillAfterMs: Ms,
          neverFill: Type.Boolean(),
        }),
      ),
    ),
  }),
);

export const toLabDraw = ({
  act,
  key,
  number,
  atMs,
  draw,
  fault,
  delayMs,
  answerMs,
  script,
}: OrderNote): AnswerFor<typeof LabDraw> => ({
  ...{ act, keyId: key, number, time: atMs, draw, fault: fault ?? null, delayMs: delayMs ?? null, answerMs: answerMs ?? null },
  script: script
    ? {
        cloidPrefix: script.prefix ?? null,
        draw: script.draw ?? null,
        refuse: script.refuse ?? null,
        fillPercent: script.fillPercent ?? null,
        fillAfterMs: script.holdMs ?? null,
        neverFill: script.holdMs === null,
      }
    : null,
});
