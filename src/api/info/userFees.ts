// `userFees`: the account's rates, which are the service's unless its user has chosen others or it is a what-if, and its volume of the last
// 15 UTC days. The venue's tiers stand there for an account that has one. There are no discounts or referrals, and no exchange-wide volume
// is kept.

import { Type } from '@sinclair/typebox';
import type { SummaryView } from '../../actors/core/messages/accountFigures.ts';
import { toWire } from '../../shared/domain/decimal.ts';
import { FEE_RATES, REBATE_TIERS, VOLUME_TIERS } from '../../shared/domain/fees.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { askAccount } from '../accounts/services.ts';
import { exactly, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { wireNumber } from '../domain/wireText.ts';
import { accountType } from './infoType.ts';

/** The venue's rates; there is no spot trading here. */
const SPOT_TAKER_RATE = '0.0007';
const SPOT_MAKER_RATE = '0.0004';
const NO_DISCOUNT = { bpsOfMaxSupply: '0.0', discount: '0.0' };

/** A pair of rates for each tier. */
type SpotRates<Tiers> = { readonly [At in keyof Tiers]: readonly [taker: string, maker: string] };
/** The venue's rates of its tiers 1 to 6 on spot: taker, maker. */
const SPOT_TIERS: SpotRates<typeof VOLUME_TIERS> = [
  ['0.0006', '0.0003'],
  ['0.0005', '0.0002'],
  ['0.0004', '0.0001'],
  ['0.00035', '0.0'],
  ['0.0003', '0.0'],
  ['0.00025', '0.0'],
];
const TIERS = {
  vip: VOLUME_TIERS.map(({ above, taker, maker }, at) => {
    const [spotCross = SPOT_TAKER_RATE, spotAdd = SPOT_MAKER_RATE] = SPOT_TIERS[at] ?? [];
    return { ntlCutoff: toWire(above), cross: toWire(taker), add: toWire(maker), spotCross, spotAdd };
  }),
  mm: REBATE_TIERS.map(({ above, maker }) => ({ makerFractionCutoff: toWire(above), add: toWire(maker) })),
};

const DAYS = 15;

const StakingDiscount = named('StakingDiscount', exactly({ bpsOfMaxSupply: WireDecimal, discount: WireDecimal }));

const CONTRACT = {
  about: 'The account’s fee rates, and its volume of the last 15 UTC days.',
  price: HEAVY_QUESTION,
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
          tiers: described(
            named(
              'FeeTiers',
              exactly({
                vip: Type.Array(
                  named(
                    'VolumeFeeTier',
                    exactly({
                      ntlCutoff: described(WireDecimal, 'It holds above this volume of 14 days, USD.'),
                      cross: WireDecimal,
                      add: WireDecimal,
                      spotCross: WireDecimal,
                      spotAdd: WireDecimal,
                    }),
                  ),
                ),
                mm: Type.Array(named('MakerFeeTier', exactly({ makerFractionCutoff: WireDecimal, add: WireDecimal }))),
              }),
            ),
            'Empty unless the account has a tier of the venue.',
          ),
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
      nextTrialAvailableTimestamp: Type.Null(),
      stakingLink: Type.Null(),
      activeStakingDiscount: StakingDiscount,
    }),
  ),
};

export const userFees = accountType('userFees', CONTRACT, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  const { fees } = summary.terms;
  return {
    dailyUserVlm: toDailyVolumes(summary, services.now()),
    feeSchedule: {
      cross: toWire(FEE_RATES.taker),
      add: toWire(FEE_RATES.maker),
      spotCross: SPOT_TAKER_RATE,
      spotAdd: SPOT_MAKER_RATE,
      tiers: fees.tier === undefined ? { vip: [], mm: [] } : TIERS,
      referralDiscount: '0.0',
      stakingDiscountTiers: [NO_DISCOUNT],
    },
    userCrossRate: wireNumber(fees.taker),
    userAddRate: wireNumber(fees.maker),
    userSpotCrossRate: SPOT_TAKER_RATE,
    userSpotAddRate: SPOT_MAKER_RATE,
    activeReferralDiscount: '0.0',
    trial: null,
    feeTrialEscrow: '0.0',
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
