// A fill as the venue's clients read it.
import type { FillRow } from '../../actors/core/messages/historyRows.ts';
import { wireNumber, wireSide, ZERO_HASH } from './wireText.ts';

/** One row on the wire; `user` is named in a fill of a liquidation. */
export const toWireFill = (fill: FillRow, user?: string) => ({
  coin: fill.coin,
  px: wireNumber(fill.price),
  sz: wireNumber(fill.size),
  side: wireSide(fill.side),
  time: fill.timeMs,
  startPosition: wireNumber(fill.startPosition),
  dir: fill.direction,
  closedPnl: wireNumber(fill.closedPnl),
  hash: ZERO_HASH,
  oid: fill.oid,
  crossed: fill.liquidity === 'taker',
  fee: wireNumber(fill.fee),
  tid: fill.tid,
  feeToken: 'USDC',
  twapId: null,
  ...(fill.cloid === undefined ? {} : { cloid: fill.cloid }),
  ...(fill.liquidation && { liquidation: toWireLiquidation(fill.liquidation, user) }),
});

const toWireLiquidation = ({ method, markPrice }: NonNullable<FillRow['liquidation']>, user?: string) => ({
  ...(user !== undefined && { liquidatedUser: user }),
  markPx: wireNumber(markPrice),
  method,
});
