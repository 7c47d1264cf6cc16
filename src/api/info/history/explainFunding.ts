// `explainFunding`: what the account owes or is owed since the last settlement of funding, when the next one is, and what it would be
// at the rates of now. A type of this exchange, not of the venue.

import { Type } from '@sinclair/typebox';
import { settlementAfter } from '../../../jobs/domain/fundingPeriod.ts';
import { Decimal, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import { CoinName, EpochMs, exactly, orNull, WireDecimal } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { fundingEstimate } from '../../domain/fundingEstimate.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { wireNumber } from '../../domain/wireText.ts';
import { accountType } from '../infoType.ts';

const pendingField = described(WireDecimal, 'Of unpaid hours whose rate is known, USD; negative = paid by the account.');
const estimateField = described(
  WireDecimal,
  'Pending, and the hours up to the settlement at the rates and oracle prices of now, USD. Not promised.',
);

const CONTRACT = {
  about:
    'Funding since the last settlement: what is pending, when the next settlement is, and what it would be at the rates of now.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: named(
    'ExplainedFunding',
    exactly({
      nextTime: described(EpochMs, 'The next settlement.'),
      pending: pendingField,
      estimate: estimateField,
      coins: Type.Array(
        named(
          'CoinFunding',
          exactly({
            coin: CoinName,
            szi: described(WireDecimal, 'Signed size of the position; 0.0 = closed, its hours are owed.'),
            pending: pendingField,
            estimate: estimateField,
            fundingRate: described(orNull(WireDecimal), 'Estimate of the running hour; null = the market was not heard of.'),
          }),
        ),
      ),
    }),
  ),
};

export const explainFunding = accountType('explainFunding', CONTRACT, async (_request, call, services) => {
  const { market, config } = services;
  const owed = await askAccount(call, services, { kind: 'owedFunding' });
  const nextTime = settlementAfter(owed.timeMs, config.FUNDING_SETTLE_HOURS);
  const coins = owed.coins.map(({ coin, signedSize, usd }) => {
    const asset = market.assetOf(coin);
    const context = asset && market.contextOf(asset.id)?.context;
    const hours = { nowMs: owed.timeMs, settlementMs: nextTime };
    const estimate = context ? fundingEstimate(usd, { signedSize, ...context }, hours) : usd;
    return { coin, signedSize, usd, estimate, rate: context?.funding };
  });
  return {
    nextTime,
    pending: wireNumber(sumOf(coins.map(({ usd }) => usd))),
    estimate: wireNumber(sumOf(coins.map(({ estimate }) => estimate))),
    coins: coins.map(({ coin, signedSize, usd, estimate, rate }) => ({
      coin,
      szi: wireNumber(signedSize),
      pending: wireNumber(usd),
      estimate: wireNumber(estimate),
      fundingRate: rate === undefined ? null : wireNumber(rate),
    })),
  };
});

const sumOf = (texts: readonly string[]): string => toWire(texts.reduce((sum, text) => sum.plus(new Decimal(text)), ZERO));
