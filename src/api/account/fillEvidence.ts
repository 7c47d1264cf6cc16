// The evidence of a fill in `explainFill` and `explainOrder`: what the market showed when it was filled, in words and
// in numbers.

import { Type } from '@sinclair/typebox';
import { type FillEvidence, type FillRow, SETTLEMENT } from '../../actors/core/messages/historyRows.ts';
import type { FillModel } from '../../actors/core/messages/terms.ts';
import { Count, EpochMs, exactly, orNull, WireDecimal, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { Fill } from '../contract/venueForms.ts';
import { toWireFill } from '../domain/wireFill.ts';
import { wireNumber } from '../domain/wireText.ts';
import { FillModelWord } from './termsFields.ts';

/** The kind of market event that a fill came from. */
type Source = 'book' | 'trade' | 'bookGap' | 'takeOver' | 'settlement' | 'unknown';

const OrNullDecimal = orNull(WireDecimal);

/** Fields of a fill with its evidence. */
export const explainedFillFields = {
  fill: Fill,
  evidence: named(
    'Evidence',
    exactly({
      source: named('FillSource', words<Source>('book', 'trade', 'bookGap', 'takeOver', 'settlement', 'unknown')),
      text: Type.String(),
      book: described(
        orNull(
          named(
            'EvidenceBook',
            exactly({
              time: EpochMs,
              version: orNull(Count),
              levels: Type.Array(
                named(
                  'EvidenceLevel',
                  exactly({ px: WireDecimal, displayedSz: WireDecimal, consumedBefore: WireDecimal, takenSz: WireDecimal }),
                ),
              ),
              beyond: described(
                orNull(named('EvidenceBucket', exactly({ fromPx: WireDecimal, time: EpochMs }))),
                'Of a fill beyond the displayed levels: where its bucket of the aggregated book begins, and the time of that book. The level is the bucket.',
              ),
            }),
          ),
        ),
        'The book that gave the fill.',
      ),
      trade: described(
        orNull(
          named(
            'EvidenceTrade',
            exactly({
              tid: Count,
              px: OrNullDecimal,
              sz: OrNullDecimal,
              time: orNull(EpochMs),
              leftForOrder: OrNullDecimal,
              tick: orNull(Type.String()),
            }),
          ),
        ),
        'The public trade that reached the order.',
      ),
      queueAhead: described(orNull(Type.String()), 'Coins before the order, or `unknown`.'),
      fillModel: described(orNull(FillModelWord), 'By which the resting order filled (rule 3.6); null: it did not rest.'),
      twapId: orNull(Count),
      trigger: orNull(named('EvidenceTrigger', exactly({ triggerPx: WireDecimal, markPx: OrNullDecimal }))),
    }),
  ),
};

export const ExplainedFill = named('ExplainedFill', exactly(explainedFillFields));

/** A fill with its evidence. */
export const toExplainedFill = (fill: FillRow, user: string) => ({ fill: toWireFill(fill, user), evidence: toEvidence(fill) });

function toEvidence(fill: FillRow) {
  const evidence = fill.evidence ?? {};
  const source = sourceOf(fill, evidence);
  const isOfMaker = fill.liquidity === 'maker' && source !== 'unknown';
  const model: FillModel | undefined = isOfMaker ? (evidence.model ?? 'queue') : undefined;
  return {
    source,
    text: evidence.deepFrom === undefined ? `${TEXTS[source]}${MODELS[model ?? 'taker']}` : BEYOND_TEXT,
    book: toBook(fill, evidence),
    trade: toTrade(evidence),
    fillModel: model ?? null,
    queueAhead: evidence.queueAhead === undefined ? null : queueText(evidence.queueAhead),
    twapId: fill.twapId ?? null,
    trigger: toTrigger(evidence),
  };
}

const TEXTS: Readonly<Record<Source, string>> = {
  book: 'The order took what the book displayed at this price, less what the account had taken of it before. That stays taken while the level is displayed and until it has been missing for 30 s.',
  trade:
    'The order rested, and a public trade reached it: what was left of the trade after the queue and the own orders before it.',
  bookGap:
    'The order rested, and a newer book had crossed its limit without a trade being seen: it got what the book displayed up to its limit, less what the account had taken of it before, at its limit.',
  takeOver:
    'The equity behind the position was below two thirds of its maintenance margin: the house took it over at its bankruptcy price.',
  settlement:
    'The venue had taken the coin off its list: the position was settled at the average oracle price of the last hour before.',
  unknown: 'No evidence was recorded with this fill.',
};

const BEYOND_TEXT =
  'The order took what stood in this bucket of the venue’s aggregated book, beyond the displayed levels, at its worst price: less what was displayed of it, and what the account had taken of it before.';

/** What a fill model has added to a fill. */
const MODELS: Readonly<Record<FillModel | 'taker', string>> = {
  taker: '',
  queue: '',
  probable: ' Of what was canceled at its price, a share was taken to have stood before it (fill model probable).',
  touch: ' Whatever stood before it did not count (fill model touch).',
  pessimistic: ' Only what went beyond its limit could fill it (fill model pessimistic).',
};

function sourceOf({ direction, liquidity, liquidation }: FillRow, { tradeTid, bookTimeMs }: FillEvidence): Source {
  if (liquidation?.method === 'backstop') return 'takeOver';
  if (direction === SETTLEMENT) return 'settlement';
  if (tradeTid !== undefined) return 'trade';
  if (bookTimeMs === undefined) return 'unknown';
  return liquidity === 'taker' ? 'book' : 'bookGap';
}

/** The book that gave the fill; a taker's fill comes from one level. */
function toBook({ price, size }: FillRow, evidence: FillEvidence) {
  const { bookTimeMs, bookVersion, displayed, consumed, levels, deepFrom, deepTimeMs } = evidence;
  if (bookTimeMs === undefined || displayed === undefined || consumed === undefined) return null;
  const taken = levels ?? [[price, displayed, consumed, size] as const];
  return {
    time: bookTimeMs,
    version: bookVersion ?? null,
    levels: taken.map(([px, shown, before, sz]) => ({
      px: wireNumber(px),
      displayedSz: wireNumber(shown),
      consumedBefore: wireNumber(before),
      takenSz: wireNumber(sz),
    })),
    beyond: deepFrom === undefined || deepTimeMs === undefined ? null : { fromPx: wireNumber(deepFrom), time: deepTimeMs },
  };
}

/** The public trade that reached a resting order. Fills of older journals have its tid alone. */
function toTrade({ tradeTid, tradePrice, tradeSize, tradeTimeMs, tradeLeft, tick }: FillEvidence) {
  if (tradeTid === undefined) return null;
  const text = (value: string | undefined) => (value === undefined ? null : wireNumber(value));
  return {
    tid: tradeTid,
    px: text(tradePrice),
    sz: text(tradeSize),
    time: tradeTimeMs ?? null,
    leftForOrder: text(tradeLeft),
    tick: tick ?? null,
  };
}

/** The trigger and the mark that fired the order. The mark is recorded when the order filled at once. */
function toTrigger({ triggerPrice, markPrice }: FillEvidence) {
  if (triggerPrice === undefined) return null;
  return { triggerPx: wireNumber(triggerPrice), markPx: markPrice === undefined ? null : wireNumber(markPrice) };
}

/** Coins, or `unknown` while the order's price was out of sight. */
export const queueText = (ahead: string): string => (ahead === 'unknown' ? ahead : wireNumber(ahead));
