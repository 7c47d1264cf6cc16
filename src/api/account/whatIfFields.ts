// A what-if as requests ask for it and answers show it: a fork under other terms, which receives the commands of its source.
import { type Static, Type } from '@sinclair/typebox';
import type { WhatIfProgress } from '../../actors/core/messages/queryAnswer.ts';
import type { Terms } from '../../actors/core/messages/terms.ts';
import { Latency, SEED_MAX } from '../accounts/labFields.ts';
import { Count, exactly, orNull, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { FillModelWord, OwnFees, toRates } from './termsFields.ts';

/** No coin allows more. */
const LEVERAGE_MAX = 100;

const Leverage = Type.Integer({ minimum: 1, maximum: LEVERAGE_MAX, expected: `a whole number from 1 to ${LEVERAGE_MAX}` });
const Delays = named(
  'WhatIfLatency',
  Type.Object(
    {
      seed: Type.Optional(
        described(Type.Integer({ minimum: 0, maximum: SEED_MAX, expected: 'a whole number' }), 'Of draws; 1 without it.'),
      ),
      submit: Type.Optional(described(Latency, 'Orders and modifies wait in the account for so long before they are decided.')),
      cancel: Type.Optional(described(Latency, 'Cancels do; one may come too late.')),
    },
    { additionalProperties: false, expected: 'an object with submit and cancel' },
  ),
);

export const WhatIfBody = named(
  'WhatIfTerms',
  Type.Object(
    {
      fees: Type.Optional(described(OwnFees, 'Its fee rates.')),
      leverage: Type.Optional(described(Leverage, 'Of every coin, where the coin allows as much.')),
      fill_model: Type.Optional(described(FillModelWord, 'When its resting orders fill.')),
      latency: Type.Optional(described(Delays, 'Of the commands that it receives.')),
    },
    { additionalProperties: false, expected: 'an object with fees, leverage, fill_model and latency' },
  ),
);
type WhatIfBody = Static<typeof WhatIfBody>;

export function toTerms({ fees, leverage, fill_model: fillModel, latency }: WhatIfBody): Terms {
  return {
    ...(fees && { fees: toRates(fees) }),
    ...(leverage !== undefined && { leverage }),
    ...(fillModel !== undefined && { fillModel }),
    ...(latency && { latency: { seed: latency.seed ?? 1, ...submitted(latency) } }),
  };
}

const submitted = ({ submit, cancel }: NonNullable<WhatIfBody['latency']>): Omit<NonNullable<Terms['latency']>, 'seed'> => ({
  ...(submit !== undefined && { submit }),
  ...(cancel !== undefined && { cancel }),
});

const WHAT_IF_STATES = ['receiving', 'lagging', 'gone', 'none'] as const;

export const WhatIf = named(
  'WhatIf',
  exactly({
    terms: WhatIfBody,
    state: described(
      named('WhatIfState', words(...WHAT_IF_STATES)),
      '`receiving`, or why no commands come: `lagging`, too many waited; `gone`, it was reset; `none`, its source was, or has too many.',
    ),
    received: described(Count, 'Commands that it has had.'),
    waiting: described(orNull(Count), 'Commands that wait for it; null: it receives none.'),
  }),
);

export const toWhatIfTerms = ({ fees, leverage, fillModel, latency }: Terms): WhatIfBody => ({
  ...(fees && { fees }),
  ...(leverage !== undefined && { leverage }),
  ...(fillModel !== undefined && { fill_model: fillModel }),
  ...(latency && { latency }),
});

/** @param known what its source knows of it */
export function toWhatIf(
  terms: Terms,
  { received, known, last }: { readonly received: number; readonly known: WhatIfProgress | undefined; readonly last: number },
): Static<typeof WhatIf> {
  const state = known === undefined ? 'none' : (known.ended ?? 'receiving');
  return {
    terms: toWhatIfTerms(terms),
    state,
    received,
    waiting: known && state === 'receiving' ? last - known.start - received : null,
  };
}
