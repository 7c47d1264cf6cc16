// What a control call is answered.
import { Type } from '@sinclair/typebox';
import { type AnswerFor, EpochMs, exactly } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';

export const ControlAnswer = named(
  'ControlAnswer',
  exactly({
    status: Type.Literal('ok'),
    time: described(EpochMs, 'When the venue did it, by its clock; after `advance`, exchange time.'),
    shown: described(
      Type.Boolean(),
      'Whether this API shows the change now and the actors have it. False: the coin is paused, the venue is cut off, or no actor owns some accounts; after `advance`, also that something due waits, such as funding for its rates.',
    ),
    scenario: Type.Optional(
      named(
        'ScenarioRun',
        exactly({
          name: described(Type.String(), 'Of the scenario.'),
          actions: described(Type.Integer({ minimum: 0 }), 'How many control actions its steps were made into and were done.'),
        }),
      ),
    ),
  }),
);

export type ControlAnswer = AnswerFor<typeof ControlAnswer>;
