// The answer of a divergence report, as the contract publishes it and as it is filled in.
import { Type } from '@sinclair/typebox';
import {
  Address,
  type AnswerFor,
  CoinName,
  Count,
  exactly,
  IsoTime,
  Liquidity,
  orNull,
  TradeSide,
  WireDecimal,
  words,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { wireNumber } from '../../api/domain/wireText.ts';
import { type Decimal, halfUpQuotient, toWire } from '../../shared/domain/decimal.ts';
import {
  bpsOf,
  CAUSES,
  type Causes,
  causesOf,
  type DeviationCause,
  type FillBeside,
  gotOf,
  STATES,
  type Sum,
  scaledUsdOf,
  stateOf,
} from './rules/causes.ts';
import type { FollowedFill } from './rules/followed.ts';

export const DIVERGENCE_BEGINS = ['whole', 'kept', 'since'] as const;

const Amount = named(
  'DivergenceAmount',
  exactly({
    usd: described(WireDecimal, 'Positive = worse for the account, exact.'),
    bps: described(WireDecimal, 'Of the notional there times the scale, in basis points, half up after 4 decimals.'),
  }),
);

const CausesAnswer = named(
  'DivergenceCauses',
  exactly({
    delay: described(Amount, 'The touch when the fill was heard, less the price there: of orders at the market.'),
    price: described(Amount, 'The price here less the touch; of a copy, less the price there.'),
    missed: described(Amount, 'The mark less the price there, of a fill of which nothing was filled here.'),
    partial: described(Amount, 'The same, of what was not filled of a fill that was filled in part.'),
    fees: described(Amount, 'The fee here less the fee there times the scale.'),
  }),
);

const DivergenceRow = named(
  'DivergenceFill',
  exactly({
    time: described(IsoTime, 'Of the fill, at the venue.'),
    heard: described(IsoTime, 'When the account heard of it.'),
    seq: described(Count, 'Journal entry in which it did.'),
    coin: CoinName,
    side: TradeSide,
    real: described(
      named(
        'RealFill',
        exactly({
          tid: described(Count, 'The venue’s number.'),
          oid: described(Count, 'The venue’s number of its order.'),
          price: WireDecimal,
          size: WireDecimal,
          fee: described(WireDecimal, 'Negative: the address received it.'),
          liquidity: Liquidity,
        }),
      ),
      'As the venue told it, not scaled.',
    ),
    scaled_size: described(WireDecimal, 'Its size times the scale: what would be the same here, exact.'),
    ours: described(
      named(
        'FillHere',
        exactly({
          size: WireDecimal,
          usd: described(WireDecimal, 'Prices times sizes, exact.'),
          price: described(orNull(WireDecimal), 'Average, half up after 10 decimals; null: nothing was filled.'),
          fee: described(WireDecimal, 'Shares of a fill’s fee are cut after 6 decimals and add up to it.'),
        }),
      ),
      'What was filled here for it.',
    ),
    by: described(
      named('FilledBy', words('order', 'copy', 'both')),
      '`copy`: its order had a copy here, which the market fills or not. `order`: an order at the market was sent. `both`: in part each.',
    ),
    state: described(
      named('DivergenceState', words(...STATES)),
      '`waits`: a copy that is open may still fill it; that part counts nowhere yet. `unread`: its copy is of before what was read: it is in no sum.',
    ),
    waiting_size: described(WireDecimal, 'What an open copy may still fill.'),
    touch: described(
      orNull(WireDecimal),
      'Best price of the other side of the book here when it was heard; null: there was none.',
    ),
    mark: described(orNull(WireDecimal), 'Mark here when it was heard; null: what was not filled counts 0.'),
    text: described(orNull(Type.String()), 'Why its order did nothing, where that is so.'),
    causes: described(orNull(CausesAnswer), 'They add up to the difference; null: unread.'),
    difference: described(orNull(Amount), 'All of it.'),
  }),
);

const DivergenceSums = named(
  'DivergenceSums',
  exactly({
    fills: Count,
    states: described(
      named('DivergenceStates', exactly({ filled: Count, partial: Count, missed: Count, waits: Count, unread: Count })),
      'Fills by what became of them.',
    ),
    usd: described(WireDecimal, 'Notional there times the scale.'),
    causes: CausesAnswer,
    difference: Amount,
  }),
);

export const DivergenceReport = named(
  'DivergenceReport',
  exactly({
    account: Address,
    address: described(Address, 'Of the venue.'),
    scale: WireDecimal,
    fills: described(Type.Array(DivergenceRow), 'In the order in which they were heard.'),
    page: described(DivergenceSums, 'Over these fills.'),
    total: described(DivergenceSums, 'Over all fills that were heard from `from` to `to`.'),
    unclaimed_usd: described(WireDecimal, 'Fills of copies for which no fill of the address has come from `from` to `to`.'),
    begins: described(
      named('DivergenceBegins', words(...DIVERGENCE_BEGINS)),
      '`whole`: with all that the account has done. `kept`: as far back as is kept. `since`: so far before `since` as a request may read.',
    ),
    from: described(orNull(IsoTime), 'Time of the first entry that was read; null: there is none.'),
    to: described(IsoTime, 'What was heard up to it is in `total`.'),
    complete: described(Type.Boolean(), 'Whether `total` has all up to now.'),
    next: described(orNull(IsoTime), '`since` of the request that goes on; null: there is no more.'),
    entries_read: Count,
    entries_lost: described(Count, 'Entries in between that count no more.'),
  }),
);

type Row = AnswerFor<typeof DivergenceRow>;

export function toDivergenceRow(fill: FollowedFill, compared: FillBeside): Row {
  const { real, seq, heardMs, copied, text = null } = fill;
  const { tid, sourceOid: oid, coin, side, price, size, fee, liquidity, timeMs } = real;
  const { scaledSize, touch, mark, waiting } = compared;
  const isUnread = copied === 'unread';
  return {
    ...{ time: isoTime(timeMs), heard: isoTime(heardMs), seq, coin, side },
    real: { tid, oid, price: wireNumber(price), size: wireNumber(size), fee: wireNumber(fee), liquidity },
    scaled_size: toWire(scaledSize),
    ours: oursOf(compared),
    by: byOf(fill),
    state: isUnread ? 'unread' : stateOf(compared),
    waiting_size: toWire(waiting),
    touch: touch === undefined ? null : toWire(touch),
    mark: mark === undefined ? null : toWire(mark),
    text,
    ...(isUnread ? { causes: null, difference: null } : amountsOf(causesOf(compared), scaledUsdOf(compared))),
  };
}

export function toDivergenceSums({ fills, states, scaledUsd, causes }: Sum): AnswerFor<typeof DivergenceSums> {
  return { fills, states: { ...states }, usd: toWire(scaledUsd), ...amountsOf(causes, scaledUsd) };
}

function oursOf(compared: FillBeside): Row['ours'] {
  const { size, usd, fee } = gotOf(compared);
  const price = size.isZero() ? null : toWire(halfUpQuotient(usd, size, 10));
  return { size: toWire(size), usd: toWire(usd), price, fee: toWire(fee) };
}

function byOf({ real: { taken }, copied }: FollowedFill): Row['by'] {
  if (copied === undefined) return 'order';
  return taken === '0' ? 'copy' : 'both';
}

function amountsOf({ difference, ...causes }: Causes, notional: Decimal) {
  const amount = (usd: Decimal) => ({ usd: toWire(usd), bps: toWire(bpsOf(usd, notional)) });
  const each = Object.fromEntries(CAUSES.map((cause) => [cause, amount(causes[cause])]));
  return { causes: each as Record<DeviationCause, ReturnType<typeof amount>>, difference: amount(difference) };
}

export const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();
