// Why the account's numbers are as they are: `explainBook`, `explainFill` and `explainFunding`, types of this exchange, not of the venue.
//
// `explainBook`: where the account's own orders stand in a coin's book, and which displayed levels the account has taken already. Of these
// it finds less than the book shows.
import { Type } from '@sinclair/typebox';
import type { OwnLevelView } from '../../actors/core/messages/ownMarket.ts';
import { settlementAfter } from '../../jobs/domain/fundingPeriod.ts';
import { Decimal, toWire, ZERO } from '../../shared/domain/decimal.ts';
import { explainedFillFields, queueText, toExplainedFill } from '../account/fillEvidence.ts';
import { requireMeta, unknownCoin } from '../accounts/coins.ts';
import { askAccount, pastOf } from '../accounts/services.ts';
import { CoinName, Count, EpochMs, exactly, orNull, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { fundingEstimate } from '../domain/fundingEstimate.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { wireNumber } from '../domain/wireText.ts';
import { CoinText, WholeNumber } from '../http/requestReader.ts';
import { accountType, askedUser } from './infoType.ts';

const OwnLevel = named(
  'OwnLevel',
  exactly({
    px: WireDecimal,
    displayedSz: described(orNull(WireDecimal), 'What the book shows; null beyond its levels.'),
    consumedSz: described(WireDecimal, 'What of it the account has taken before and is not shown again.'),
    ownSz: described(WireDecimal, 'Coins of the account’s own orders at the price.'),
    ownOrders: Count,
    queueAhead: described(orNull(Type.String()), 'Coins before the first of them, or `unknown`; null without an own order.'),
  }),
);
const OwnLevels = Type.Array(OwnLevel);

const BOOK = {
  about:
    'A coin’s book as the account finds it: the prices at which it has orders, and the levels of which it has taken something; bids, then asks, best first.',
  price: HEAVY_QUESTION,
  fields: { coin: CoinText },
  answers: named(
    'ExplainedBook',
    exactly({
      coin: CoinName,
      time: described(orNull(EpochMs), 'Of the book; null = none was heard.'),
      version: orNull(Count),
      heardTime: described(orNull(EpochMs), 'When the book was last heard of whole.'),
      markTime: described(orNull(EpochMs), 'When the mark was last heard of.'),
      maxAge: described(Count, 'ms. With a book or mark older than this nothing is traded.'),
      stale: described(orNull(Type.String()), 'How old the data is, where it is too old; orders are refused in the same words.'),
      levels: Type.Tuple([OwnLevels, OwnLevels]),
    }),
  ),
  example: { coin: 'BTC' },
};

export const explainBook = accountType('explainBook', BOOK, async ({ coin }, call, services) => {
  requireMeta(services);
  const asset = services.market.assetOf(coin);
  if (!asset) throw unknownCoin(coin);
  const { own } = await askAccount(call, services, { kind: 'ownBook', asset: asset.id });
  return {
    coin,
    time: own.bookTimeMs ?? null,
    version: own.bookVersion ?? null,
    heardTime: own.bookWholeMs ?? null,
    markTime: own.markTimeMs ?? null,
    maxAge: own.maxAgeMs,
    stale: own.staleAge ?? null,
    levels: [own.bids.map(toLevel), own.asks.map(toLevel)] as const,
  };
});

const toLevel = ({ price, displayed, consumed = '0.0', own }: OwnLevelView) => ({
  px: wireNumber(price),
  displayedSz: displayed === undefined ? null : wireNumber(displayed),
  consumedSz: wireNumber(consumed),
  ownSz: wireNumber(own?.size ?? '0.0'),
  ownOrders: own?.orders ?? 0,
  queueAhead: own === undefined ? null : queueText(own.ahead),
});

// `explainFill`: why a fill of the account was possible.

const FILL = {
  about: 'Why a fill of the account could happen: what the market showed, in words and in numbers.',
  price: HEAVY_QUESTION,
  fields: { tid: described(WholeNumber, 'Id of the fill.') },
  answers: Type.Union([
    named('UnknownFill', exactly({ status: Type.Literal('unknownTid') })),
    named('FoundFill', exactly({ status: Type.Literal('fill'), ...explainedFillFields })),
  ]),
  example: { tid: 16_000_019 },
};

export const explainFill = accountType('explainFill', FILL, async (request, call, services) => {
  const fill = await services.history.findFill(pastOf(call), request.tid);
  return fill === undefined
    ? { status: 'unknownTid' as const }
    : { status: 'fill' as const, ...toExplainedFill(fill, askedUser(request, call)) };
});

// `explainFunding`: the funding of the account since the last settlement, when the next one is, and its amount at the rates of now.

const pendingField = described(WireDecimal, 'Of unpaid hours whose rate is known, USD; negative = paid by the account.');
const estimateField = described(
  WireDecimal,
  'Pending, and the hours up to the settlement at the rates and oracle prices of now, USD. Not promised.',
);

const FUNDING = {
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

export const explainFunding = accountType('explainFunding', FUNDING, async (_request, call, services) => {
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
