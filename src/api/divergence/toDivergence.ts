// A fill of a mirrored address beside ours, and sums over such fills, as the answer shows them.
import { type Decimal, halfUpQuotient, toWire } from '../../shared/domain/decimal.ts';
import type { AnswerFor } from '../contract/answerValues.ts';
import {
  bpsOf,
  CAUSES,
  type Cause,
  type Causes,
  type Compared,
  causesOf,
  gotOf,
  scaledUsdOf,
  stateOf,
  type Totals,
} from '../domain/divergence/causes.ts';
import type { FollowedFill } from '../domain/divergence/followed.ts';
import { wireNumber } from '../domain/wireText.ts';
import type { DivergenceRow, DivergenceSums } from './divergenceSchema.ts';

type Row = AnswerFor<typeof DivergenceRow>;

export function toDivergenceRow(fill: FollowedFill, compared: Compared): Row {
  const { real, seq, heardMs, copied, text = null } = fill;
  const { tid, sourceOid: oid, coin, side, price, size, fee, liquidity, timeMs } = real;
  const { scaledSize, touch, mark, waiting } = compared;
  const isUnread = copied === 'unread';
  return {
    ...{ time: iso(timeMs), heard: iso(heardMs), seq, coin, side },
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

export function toDivergenceSums({ fills, states, scaledUsd, causes }: Totals): AnswerFor<typeof DivergenceSums> {
  return { fills, states: { ...states }, usd: toWire(scaledUsd), ...amountsOf(causes, scaledUsd) };
}

function oursOf(compared: Compared): Row['ours'] {
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
  return { causes: each as Record<Cause, ReturnType<typeof amount>>, difference: amount(difference) };
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
