// From where on an endpoint is told of a margin ratio, a drawdown and a silent bot: read from a body, and answered.
import { Type } from '@sinclair/typebox';
import { type AnswerFor, Count, exactly, PlainDecimal } from '../../../api/contract/answerValues.ts';
import { described } from '../../../api/contract/named.ts';
import { decimalText } from '../../../api/contract/requestValues.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { type AlertSettings, MARGIN_PERCENTS_MAX, SILENT_MINUTES_MAX } from '../rules/alertKinds.ts';
import { type AlertEndpointDocument, settingsOf } from '../store/alertEndpoint.ts';

const PercentText = decimalText({ to: 2, decimals: 2 }, 'a decimal string above 0 and at most 100, with two decimals at most');

const ABOUT = {
  margin_percents: 'Margin ratios, percent: maintenance margin by account value of a pool. It is liquidated at 100.',
  drawdown_percent: 'Fall of the equity from its peak, percent.',
  silent_minutes: 'A bot is silent after so long without a request of the API keys of an account.',
};

/** Of a body. */
export const SETTINGS_FIELDS = {
  margin_percents: Type.Optional(
    described(
      Type.Array(PercentText, {
        ...{ minItems: 1, maxItems: MARGIN_PERCENTS_MAX, uniqueItems: true },
        expected: `a list of ${MARGIN_PERCENTS_MAX} different percents at most`,
      }),
      ABOUT.margin_percents,
    ),
  ),
  drawdown_percent: Type.Optional(described(PercentText, ABOUT.drawdown_percent)),
  silent_minutes: Type.Optional(
    described(
      Type.Integer({ minimum: 1, maximum: SILENT_MINUTES_MAX, expected: `a whole number from 1 to ${SILENT_MINUTES_MAX}` }),
      ABOUT.silent_minutes,
    ),
  ),
};
export const SETTINGS_NAMES = Object.keys(SETTINGS_FIELDS).join(', ');

export const SETTINGS_ANSWER = {
  margin_percents: described(Type.Array(PlainDecimal), ABOUT.margin_percents),
  drawdown_percent: described(PlainDecimal, ABOUT.drawdown_percent),
  silent_minutes: described(Count, ABOUT.silent_minutes),
};

const Settings = exactly(SETTINGS_ANSWER);

export function toSettingsAnswer(endpoint: Pick<AlertEndpointDocument, 'settings'>): AnswerFor<typeof Settings> {
  const { marginPercents, drawdownPercent, silentMinutes } = settingsOf(endpoint);
  return { margin_percents: [...marginPercents], drawdown_percent: drawdownPercent, silent_minutes: silentMinutes };
}

interface GivenSettings {
  readonly margin_percents?: readonly string[];
  readonly drawdown_percent?: string;
  readonly silent_minutes?: number;
}

/** @returns the settings with what is given, or undefined when nothing is */
export function readSettings(given: GivenSettings, before: AlertSettings): AlertSettings | undefined {
  const { margin_percents: margins, drawdown_percent: drawdown, silent_minutes: silentMinutes } = given;
  if (margins === undefined && drawdown === undefined && silentMinutes === undefined) return undefined;
  return {
    marginPercents: margins === undefined ? before.marginPercents : readPercents(margins),
    drawdownPercent: drawdown === undefined ? before.drawdownPercent : plain(drawdown),
    silentMinutes: silentMinutes ?? before.silentMinutes,
  };
}

/** Lowest first, each once. */
const readPercents = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.map(plain))].toSorted((a, b) => new Decimal(a).cmp(b));

/** `80.00` is 80. */
const plain = (text: string): string => new Decimal(text).toFixed();
