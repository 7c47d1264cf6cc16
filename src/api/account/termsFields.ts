// The terms of an account in words, as they stand beside every return.

import { type Static, type TProperties, Type } from '@sinclair/typebox';
import type { TermsView } from '../../actors/core/messages/accountFigures.ts';
import { FILL_MODELS, type OwnTerms } from '../../actors/core/messages/terms.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { RATE_MAX, RATE_MIN, REBATE_TIERS, VOLUME_TIERS } from '../../shared/domain/fees.ts';
import { type AnswerFor, exactly, IsoTime, orNull, WireDecimal, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { wireNumber } from '../domain/wireText.ts';
import { compileReader } from '../http/requestReader.ts';

const percent = (rate: string): string => `${new Decimal(rate).times(100).toFixed()} %`;

/** Whose fees, the rates, when resting orders fill, and since when where fills were under others. */
function termsText({ fees, fillModel, changedAtMs }: TermsView): string {
  const { maker, taker } = fees;
  const rates = `Fees: ${sourceText(fees)}, ${percent(maker)} as maker and ${percent(taker)} as taker. Resting orders fill by the model ${fillModel}.`;
  if (changedAtMs === undefined) return rates;
  return `${rates} Changed at ${new Date(changedAtMs).toISOString()}: fills before were under other terms.`;
}

function sourceText({ source, tier = 0, rebate }: TermsView['fees']): string {
  switch (source) {
    case 'default':
      return 'the exchange’s own';
    case 'own':
      return 'set by the user';
    case 'what_if':
      return 'those of a what-if';
    case 'tier':
      return `tier ${tier} of the venue${rebate === undefined ? '' : ` with rebate ${rebate}`}, set by the user`;
    case 'volume':
      return `tier ${tier} of the venue by the volume of 14 days`;
  }
}

// The terms of an account as requests give them and answers show them beside every return.

/** From -0.001 to 0.01 with at most 8 decimals. */
const RATE = '^(0(\\.0{1,2}|\\.00\\d{1,6}|\\.010{0,6})?|-0\\.00(0\\d{1,5}|10{0,5}))$';

const Rate = Type.String({
  pattern: RATE,
  expected: `a decimal string from ${RATE_MIN} to ${RATE_MAX} with at most 8 decimals`,
  examples: ['0.0002'],
});
/** Fee rates that a user chooses, of an account or a what-if. */
export const OwnFees = named(
  'OwnFees',
  Type.Object(
    {
      maker: described(Rate, 'Fraction of the notional, of orders that rested; negative = the account gets it.'),
      taker: described(Rate, 'Of orders that crossed.'),
    },
    { additionalProperties: false, expected: 'an object with maker and taker' },
  ),
);

const TIER_MAX = VOLUME_TIERS.length;
const REBATE_MAX = REBATE_TIERS.length;
const wholeTo = (min: number, max: number) =>
  Type.Integer({ minimum: min, maximum: max, expected: `a whole number from ${min} to ${max}` });

const form = <F extends TProperties>(name: string, fields: F) =>
  named(name, Type.Object(fields, { additionalProperties: false, expected: 'an object with tier, or with by_volume' }));
const FORMS = {
  tier: form('FeesOfTier', {
    tier: described(wholeTo(0, TIER_MAX), 'A tier of the venue; 0 = the service’s own rates.'),
    rebate: Type.Optional(described(wholeTo(1, REBATE_MAX), 'A rebate of the venue in place of the tier’s maker rate.')),
  }),
  own: OwnFees,
  by_volume: form('FeesByVolume', {
    by_volume: described(
      Type.Literal(true, { expected: 'true' }),
      'The venue’s tier by the volume of the account on the 14 UTC days before.',
    ),
  }),
};

export const FillModelWord = named('FillModel', words(...FILL_MODELS));

const bodyOf = <F extends TProperties>(fields: F) =>
  Type.Object(
    {
      ...fields,
      fill_model: Type.Optional(described(FillModelWord, 'When orders fill that come to rest from then on; absent: `queue`.')),
    },
    { additionalProperties: false, expected: 'an object of fees and fill_model' },
  );

/** For the published contract: a body has one form of fees, or none. */
export const TermsBody = named(
  'TermsWanted',
  bodyOf({
    fees: Type.Optional(
      described(Type.Union([FORMS.tier, FORMS.own, FORMS.by_volume]), 'What fills cost; absent: the service’s own rates.'),
    ),
  }),
);
type Fees = NonNullable<Static<typeof TermsBody>['fees']>;

/** One reader for each form, so that a fault is told in terms of the form that was meant. */
const READERS = {
  tier: compileReader(bodyOf({ fees: FORMS.tier })),
  own: compileReader(bodyOf({ fees: Type.Optional(FORMS.own) })),
  by_volume: compileReader(bodyOf({ fees: FORMS.by_volume })),
};

/** @throws {RequestError} 400 */
export function readTerms(body: unknown): OwnTerms {
  const given = (body as { readonly fees?: unknown } | null)?.fees;
  const has = (field: string): boolean => typeof given === 'object' && given !== null && field in given;
  const { fees, fill_model: model = 'queue' } = READERS[has('tier') ? 'tier' : has('by_volume') ? 'by_volume' : 'own'](body);
  return { ...(fees !== undefined && { fees: toFees(fees) }), ...(model !== 'queue' && { fillModel: model }) };
}

function toFees(fees: Fees): NonNullable<OwnTerms['fees']> {
  if ('by_volume' in fees) return { kind: 'volume' };
  if ('maker' in fees) return { kind: 'own', ...toRates(fees) };
  const { tier, rebate } = fees;
  return { kind: 'tier', tier, ...(rebate !== undefined && { rebate }) };
}

export const toRates = ({ maker, taker }: { readonly maker: string; readonly taker: string }) => ({
  maker: new Decimal(maker).toString(),
  taker: new Decimal(taker).toString(),
});

export const AccountTerms = named(
  'AccountTerms',
  exactly({
    fees: named(
      'AccountFees',
      exactly({
        source: described(
          named('FeeSource', words('default', 'tier', 'own', 'volume', 'what_if')),
          '`default`: the service’s own rates; else what the user has chosen, or the terms of a what-if.',
        ),
        tier: described(orNull(Type.Integer({ minimum: 0, maximum: TIER_MAX })), 'Of the venue; null: the rates are of none.'),
        rebate: orNull(Type.Integer({ minimum: 1, maximum: REBATE_MAX })),
        maker: WireDecimal,
        taker: WireDecimal,
      }),
    ),
    fill_model: described(FillModelWord, 'Of orders that come to rest now.'),
    changed: described(
      orNull(IsoTime),
      'When the terms last changed; null: all fills since the account began, or was reset, are under them.',
    ),
    text: described(Type.String(), 'The same in words.'),
  }),
);

export function toAccountTerms(terms: TermsView): AnswerFor<typeof AccountTerms> {
  const { fees, fillModel, changedAtMs } = terms;
  const { source, tier = null, rebate = null, maker, taker } = fees;
  return {
    fees: { source, tier, rebate, maker: wireNumber(maker), taker: wireNumber(taker) },
    fill_model: fillModel,
    changed: changedAtMs === undefined ? null : new Date(changedAtMs).toISOString(),
    text: termsText(terms),
  };
}
