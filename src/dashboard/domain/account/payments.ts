// Funding payments of answers and of the stream, in one list: one payment of a coin and a settlement is one row.

/** `delta` of `userFunding`, and the stream's payment. USD > 0 = received. */
export interface Payment {
  readonly timeMs: number;
  readonly coin: string;
  readonly usd: string;
  readonly signedSize: string;
  readonly rate: string;
  /** Hours in it; null where each is settled by itself. */
  readonly hours: number | null;
}

interface WirePayment {
  readonly coin: string;
  readonly usdc: string;
  readonly szi: string;
  readonly fundingRate: string;
  readonly nSamples: number | null;
}

export const readPayment = (timeMs: number, { coin, usdc, szi, fundingRate, nSamples }: WirePayment): Payment => ({
  timeMs,
  coin,
  usd: usdc,
  signedSize: szi,
  rate: fundingRate,
  hours: nSamples,
});

export const paymentKey = ({ timeMs, coin }: Payment): string => `${timeMs} ${coin}`;

/** Both lists without a repetition, newest first; of one settlement by coin. */
export function mergePayments(known: readonly Payment[], more: readonly Payment[]): readonly Payment[] {
  const byKey = new Map([...known, ...more].map((payment) => [paymentKey(payment), payment]));
  return [...byKey.values()].sort((a, b) => b.timeMs - a.timeMs || (a.coin < b.coin ? -1 : 1));
}
