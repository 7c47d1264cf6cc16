// What an import of an address of the venue takes and leaves out, and what a followed address did.

// What a mirrored address did at the venue, as it is told to the account that follows it. Numbers are decimal text.

/** One fill of the address. */
export interface SourceFill {
  /** The venue's numbers of the fill and its order. */
  readonly tid: number;
  readonly oid: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  /** Paid by the address, USD; negative = received. */
  readonly fee: string;
  readonly timeMs: number;
  readonly liquidity: 'maker' | 'taker';
  /** It made the position of the address smaller. */
  readonly closes?: true;
}

/** An open order of the address that may not have been seen before, with its children. */
export interface SourceOpening {
  readonly order: SourceOrder;
  readonly originalSize: string;
  readonly placedAtMs: number;
}

/** How an account follows an address, to those who ask. */
export interface FollowingView {
  readonly id: string;
  readonly sinceMs: number;
  /** Time of the newest fill of the address that has come. */
  readonly throughMs: number;
  /** Open orders of the address that have a copy here. */
  readonly copies: number;
}

// What an import of an address of the venue is made of: what the venue told, what of it an account takes, and what it leaves. Numbers are
// decimal text.

/** Why something was left out. */
export const LEFT_REASONS = [
  'spot',
  'unlisted',
  'delisted',
  'no_price',
  'margin_mode',
  'below_lot',
  'below_minimum',
  'leverage',
  'never_rests',
  'would_trade',
  'too_many',
  'refused',
] as const;
type LeftReason = (typeof LEFT_REASONS)[number];

export interface LeftOut {
  readonly kind: 'balance' | 'position' | 'leverage' | 'order';
  readonly coin: string;
  /** Of an order: the venue's number. */
  readonly oid?: number;
  readonly reason: LeftReason;
  readonly text: string;
}

/** A position as the venue tells it. */
export interface SourcePosition {
  readonly coin: string;
  /** Coins, long > 0; never 0. */
  readonly signedSize: string;
  readonly entryPrice: string;
  /** Size times mark, USD >= 0. */
  readonly value: string;
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
  /** Cash inside an isolated position, USD; `'0'` for cross. */
  readonly rawUsd: string;
}

/** An open order as the venue tells it; children wait for it. */
export interface SourceOrder {
  readonly oid: number;
  readonly cloid?: string;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly limitPrice: string;
  /** Left to fill, coins. */
  readonly size: string;
  readonly reduceOnly: boolean;
  /** `never`: of a kind that does not rest. */
  readonly timeInForce: 'gtc' | 'alo' | 'never';
  readonly trigger?: {
    readonly price: string;
    readonly tpsl: 'tp' | 'sl';
    readonly isMarket: boolean;
    /** It closes the whole position. */
    readonly isPosition?: true;
  };
  readonly children?: readonly SourceOrder[];
}

/** An address at one moment. */
export interface ImportSource {
  /** 0x and 40 hex digits in lower case. */
  readonly source: string;
  /** What sizes and money are multiplied by, > 0. */
  readonly scale: string;
  /** The venue's time of the positions. */
  readonly takenAtMs: number;
  /** Of the address, USD. */
  readonly accountValue: string;
}

/** A position as an account begins with it. */
export interface TakenPosition extends Omit<SourcePosition, 'value'> {
  readonly asset: number;
}

export interface ImportReport extends ImportSource {
  /** Balance that the account begins with: its account value less unrealized PnL, USD. */
  readonly usd: string;
  readonly positions: readonly TakenPosition[];
  /** Numbers of open orders, here and at the venue. */
  readonly orders: readonly (readonly [oid: number, sourceOid: number])[];
  readonly left: readonly LeftOut[];
}

/** What the answer to an import says, made of the event that it has left. */
export const reportOf = ({ type: _, ...report }: { readonly type: 'imported' } & ImportReport): ImportReport => report;
