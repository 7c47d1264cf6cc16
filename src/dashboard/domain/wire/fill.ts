// A fill as the stream and as `account/fills` send it, in one form.

/** A row of the channel `userFills`, as far as the page reads it. */
export interface WireFill {
  readonly tid: number;
  readonly oid: number;
  readonly coin: string;
  readonly side: 'B' | 'A';
  readonly dir: string;
  readonly px: string;
  readonly sz: string;
  readonly fee: string;
  readonly crossed: boolean;
  readonly closedPnl: string;
  readonly time: number;
}

export interface Fill {
  readonly tid: number;
  readonly oid: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  /** `Open Long`, `Close Short`, … */
  readonly direction: string;
  readonly price: string;
  readonly size: string;
  readonly fee: string;
  readonly liquidity: 'maker' | 'taker';
  readonly closedPnl: string;
  readonly timeMs: number;
}

/** An item of `account/fills`: the same by other names. */
export interface FillItem extends Omit<Fill, 'closedPnl' | 'timeMs'> {
  readonly closed_pnl: string;
  readonly time: string;
}

export const readWireFill = (fill: WireFill): Fill => ({
  tid: fill.tid,
  oid: fill.oid,
  coin: fill.coin,
  side: fill.side === 'B' ? 'buy' : 'sell',
  direction: fill.dir,
  price: fill.px,
  size: fill.sz,
  fee: fill.fee,
  liquidity: fill.crossed ? 'taker' : 'maker',
  closedPnl: fill.closedPnl,
  timeMs: fill.time,
});

/** @param timeMs `time`, ms since the epoch */
export const readFillItem = ({ closed_pnl: closedPnl, time: _, ...rest }: FillItem, timeMs: number): Fill => ({
  ...rest,
  closedPnl,
  timeMs,
});
