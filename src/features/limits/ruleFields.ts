// House rules as requests give them and answers show them.
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import type { AccountLimitsView } from '../../actors/core/messages/queryAnswer.ts';
import {
  type AnswerFor,
  CoinName,
  exactly,
  IsoTime,
  orNull,
  PlainDecimal,
  WireDecimal,
  words,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { decimalOrNumber, UsdAmount } from '../../api/contract/requestValues.ts';
import { contradiction } from '../../api/http/requestReader.ts';
import type { Asset } from '../../market/domain/asset.ts';
import { Decimal, toWire } from '../../shared/domain/decimal.ts';
import { type AccountLimits, minuteText, RULE_ACTS } from '../../shared/domain/limits.ts';
import { RequestError } from '../../shared/errors.ts';

const COINS_MAX = 50;
const COIN_CHARS_MAX = 20;
const MINUTES_OF_HOUR = 60;
/** `00:00` to `23:59`. */
const TIME = '^([01]\\d|2[0-3]):[0-5]\\d$';

const Percent = decimalOrNumber(
  { to: 2, decimals: 2 },
  'a number or a decimal string above 0, at most 100, with at most 2 decimals',
);

const RuleAct = named('RuleAct', words(...RULE_ACTS));
const act = described(
  Type.Union(
    RULE_ACTS.map((word) => Type.Literal(word)),
    { expected: `one of ${RULE_ACTS.join(', ')}` },
  ),
  '`warn`: it is told. `refuse`: also nothing more is opened. `close`: also all that is open is closed.',
);
const ruleOf = <F extends TProperties>(name: string, fields: F, names: string) =>
  Type.Optional(
    Type.Union([named(name, Type.Object({ ...fields, act }, { additionalProperties: false })), Type.Null()], {
      expected: `an object of ${names} and act, or null`,
    }),
  );
const Time = Type.String({ pattern: TIME, expected: 'a time as 08:30, UTC', examples: ['08:30'] });

export const RulesBody = Type.Object(
  {
    daily_loss: described(ruleOf('DailyLossWanted', { usd: UsdAmount }, 'usd'), 'What the account may lose in a UTC day, USD.'),
    drawdown: described(
      ruleOf('DrawdownWanted', { percent: Percent }, 'percent'),
      'How far it may be below the highest value that it had under these rules, percent of that.',
    ),
    hours: described(
      ruleOf('HoursWanted', { from: Time, to: Time }, 'from, to'),
      'When it may have anything open, UTC; over midnight where `to` is the earlier one.',
    ),
    coins: described(
      ruleOf(
        'CoinsWanted',
        {
          only: Type.Array(Type.String({ minLength: 1, maxLength: COIN_CHARS_MAX }), {
            minItems: 1,
            maxItems: COINS_MAX,
            uniqueItems: true,
            expected: `a list of 1 to ${COINS_MAX} names of coins, each once`,
          }),
        },
        'only',
      ),
      'The only coins that it may have anything open in.',
    ),
  },
  { additionalProperties: false, expected: 'an object of daily_loss, drawdown, hours and coins' },
);

type WantedRules = Static<typeof RulesBody>;

const answered = <F extends TProperties>(name: string, fields: F) => orNull(named(name, exactly({ ...fields, act: RuleAct })));
const TimeText = Type.String({ pattern: TIME, description: 'UTC.', examples: ['08:30'] });

export const RulesAnswer = named(
  'HouseRules',
  exactly({
    daily_loss: answered('DailyLossRule', { usd: WireDecimal }),
    drawdown: answered('DrawdownRule', { percent: PlainDecimal }),
    hours: answered('HoursRule', { from: TimeText, to: TimeText }),
    coins: answered('CoinsRule', { only: Type.Array(CoinName) }),
    lost_usd: described(
      orNull(WireDecimal),
      'Lost since the UTC day began, negative = gained; null where the loss of a day is not limited.',
    ),
    drawdown_percent: described(orNull(PlainDecimal), 'How far it is below its highest value; null where that is not limited.'),
    broken: described(
      Type.Array(
        named(
          'BrokenRule',
          exactly({
            rule: named('HouseRuleName', words('daily_loss', 'drawdown', 'hours', 'coins')),
            coin: orNull(CoinName),
            found: described(orNull(PlainDecimal), 'What was lost, USD, or the drawdown, percent.'),
            time: IsoTime,
          }),
        ),
      ),
      'Oldest first. Until the next UTC day (`daily_loss`), the next turn of its hours, or until rules are set again.',
    ),
  }),
);

type Rules = AnswerFor<typeof RulesAnswer>;

/**
 * @param assetOf undefined for a coin that there is none of
 * @returns null where the body has no rule
 * @throws {RequestError} 400 for hours without length and an unknown coin
 */
export function toAccountLimits(
  { daily_loss: loss, drawdown, hours, coins }: WantedRules,
  assetOf: (coin: string) => Asset | undefined,
): AccountLimits | null {
  const rules = {
    ...(loss && { dailyLoss: { usd: plain(loss.usd), act: loss.act } }),
    ...(drawdown && { drawdown: { percent: plain(drawdown.percent), act: drawdown.act } }),
    ...(hours && { hours: toHours(hours) }),
    ...(coins && { coins }),
  };
  const unknown = coins?.only.find((coin) => assetOf(coin) === undefined);
  if (unknown !== undefined)
    throw new RequestError(400, 'unknown_coin', `coins.only must be names of coins: there is no ${JSON.stringify(unknown)}.`);
  return Object.keys(rules).length === 0 ? null : rules;
}

const plain = (given: number | string): string => new Decimal(given).toString();

function toHours({ from, to, act: then }: NonNullable<WantedRules['hours']>): NonNullable<AccountLimits['hours']> {
  if (from === to) throw contradiction('hours.from and hours.to must differ');
  return { fromMinute: toMinute(from), toMinute: toMinute(to), act: then };
}

function toMinute(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * MINUTES_OF_HOUR + minutes;
}

const NAMES = { dailyLoss: 'daily_loss', drawdown: 'drawdown', hours: 'hours', coins: 'coins' } as const;

export function toRulesAnswer(house: AccountLimitsView | undefined): Rules {
  const { dailyLoss, drawdown, hours, coins } = house?.rules ?? {};
  return {
    daily_loss: dailyLoss ? { usd: toWire(new Decimal(dailyLoss.usd)), act: dailyLoss.act } : null,
    drawdown: drawdown ?? null,
    hours: hours ? { from: minuteText(hours.fromMinute), to: minuteText(hours.toMinute), act: hours.act } : null,
    coins: coins ? { only: [...coins.only], act: coins.act } : null,
    lost_usd: house?.lostUsd ?? null,
    drawdown_percent: house?.drawdownPercent ?? null,
    broken: (house?.breaches ?? []).map(({ rule, coin = null, found = null, timeMs }) => ({
      ...{ rule: NAMES[rule], coin, found, time: new Date(timeMs).toISOString() },
    })),
  };
}
