// `userFees`: the account's rates, which are the same for every account here but what-ifs with other fees, and its volume of the last 15 UTC days.
// There are no tiers, discounts or referrals, and no exchange-wide volume is kept.

import { Type } from '@sinclair/typebox';
import { MAKER_RATE, TAKER_RATE } from '../../../actors/domain/fills/fillPlan.ts';
import type { SummaryView } from '../../../actors/domain/messages/answers/accountFigures.ts';
import { toWire } from '../../../shared/domain/decimal.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import { exactly, WireDecimal } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { wireNumber } from '../../http/wireText.ts';
import { NothingIn } from '../answerSchemas.ts';
import { accountType } from '../infoType.ts';

const TAKER_TEXT = toWire(TAKER_RATE);
const MAKER_TEXT = toWire(MAKER_RATE);
/** The venue's rates; there is no spot trading here. */
const SPOT_TAKER_RATE = '0.0007';
const SPOT_MAKER_RATE = '0.0004';
const NO_DISCOUNT = { bpsOfMaxSupply: '0.0', discount: '0.0' };

const DAYS = 15;
const DAY_MS = 86_400_000;

const StakingDiscount = named('StakingDiscount', exactly({ bpsOfMaxSupply: WireDecimal, discount: WireDecimal }));

const CONTRACT = {
  about: 'The account’s fee rates, and its volume of the last 15 UTC days.',
  fields: {},
  answers: named(
    'UserFees',
    exactly({
      dailyUserVlm: Type.Array(
        named(
          'DailyVolume',
          exactly({
            date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-11-21'] }),
            userCross: described(WireDecimal, 'As taker, USD.'),
            userAdd: described(WireDecimal, 'As maker, USD.'),
            exchange: WireDecimal,
          }),
        ),
      ),
      feeSchedule: named(
        'FeeSchedule',
        exactly({
          cross: WireDecimal,
          add: WireDecimal,
          spotCross: WireDecimal,
          spotAdd: WireDecimal,
          tiers: named('FeeTiers', exactly({ vip: NothingIn, mm: NothingIn })),
          referralDiscount: WireDecimal,
          stakingDiscountTiers: Type.Array(StakingDiscount),
        }),
      ),
      userCrossRate: WireDecimal,
      userAddRate: WireDecimal,
      userSpotCrossRate: WireDecimal,
      userSpotAddRate: WireDecimal,
      activeReferralDiscount: WireDecimal,
      trial: Type.Null(),
      feeTrialEscrow: WireDecimal,
      feeTrialReward: WireDecimal,
      nextTrialAvailableTimestamp: Type.Null(),
      stakingLink: Type.Null(),
      activeStakingDiscount: StakingDiscount,
    }),
  ),
};

export const userFees = accountType('userFees', CONTRACT, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    dailyUserVlm: toDailyVolumes(summary, services.now()),
    feeSchedule: {
      cross: TAKER_TEXT,
      add: MAKER_TEXT,
      spotCross: SPOT_TAKER_RATE,
      spotAdd: SPOT_MAKER_RATE,
      tiers: { vip: [], mm: [] },
      referralDiscount: '0.0',
      stakingDiscountTiers: [NO_DISCOUNT],
    },
    userCrossRate: summary.feeRates?.taker ?? TAKER_TEXT,
    userAddRate: summary.feeRates?.maker ?? MAKER_TEXT,
    userSpotCrossRate: SPOT_TAKER_RATE,
    userSpotAddRate: SPOT_MAKER_RATE,
    activeReferralDiscount: '0.0',
    trial: null,
    feeTrialEscrow: '0.0',
    feeTrialReward: '0.0',
    nextTrialAvailableTimestamp: null,
    stakingLink: null,
    activeStakingDiscount: NO_DISCOUNT,
  };
});

/** Every day of the window, oldest first, also those without a trade. */
function toDailyVolumes({ dailyVolumes }: SummaryView, nowMs: number) {
  const byDay = new Map(dailyVolumes.map((volume) => [volume.day, volume]));
  return Array.from({ length: DAYS }, (_, i) => {
    const date = new Date(nowMs - (DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10);
    const volume = byDay.get(date);
    return {
      date,
      userCross: wireNumber(volume?.takerUsd ?? '0'),
      userAdd: wireNumber(volume?.makerUsd ?? '0'),
      exchange: '0.0',
    };
  });
}
