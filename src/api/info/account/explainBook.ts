// `explainBook`: where the account's own orders stand in a coin's book, and what of the displayed levels it has taken already, so
// that it finds less there than the book shows. A type of this exchange, not of the venue.

import { Type } from '@sinclair/typebox';
import type { OwnLevelView } from '../../../actors/core/messages/ownMarket.ts';
import { queueText } from '../../account/fillEvidence.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import { CoinName, Count, EpochMs, exactly, orNull, WireDecimal } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { wireNumber } from '../../domain/wireText.ts';
import { CoinText } from '../../http/requestReader.ts';
import { accountType } from '../infoType.ts';
import { requireMeta, unknownCoin } from '../market/coins.ts';

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

const CONTRACT = {
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

export const explainBook = accountType('explainBook', CONTRACT, async ({ coin }, call, services) => {
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
