// The settlement price of a delisted coin: the average oracle price of the hour before the venue took it off its list
// (trading-rules 5.6, edge 90). Only the leader hears every oracle price, so it computes the settlement price once
// and publishes it. Every actor uses the published price.
import { Decimal, halfUp, roundOffResidue, ZERO } from '../../shared/domain/decimal.ts';
import { HOUR_MS } from '../../shared/domain/units.ts';
import type { VenueMeta } from './asset.ts';
import type { ContextChange, DelistingChange } from './feed.ts';

/** An oracle price and since when it stood. */
interface Stood {
  readonly sinceMs: number;
  readonly oraclePrice: string;
}

export class Delistings {
  /** Of each coin, oldest first: the price at the beginning of the last hour, and every change since. */
  readonly #oracles = new Map<string, Stood[]>();
  /** Coins whose settlement price is published. */
  readonly #told = new Set<string>();

  /** @param changes contexts and delistings that an earlier leader has published */
  constructor(changes: Iterable<ContextChange | DelistingChange>) {
    for (const change of changes) {
      if (change.type === 'delisting') this.#tell(change.coin);
      else this.onContext(change);
    }
  }

  onContext({ coin, timeMs, context: { oraclePx } }: ContextChange): void {
    if (this.#told.has(coin)) return;
    const stood = this.#oracles.get(coin) ?? [];
    if (stood.at(-1)?.oraclePrice === oraclePx) return;
    stood.push({ sinceMs: timeMs, oraclePrice: oraclePx });
    const firstNeeded = stood.findLastIndex(({ sinceMs }) => sinceMs <= timeMs - HOUR_MS);
    if (firstNeeded > 0) stood.splice(0, firstNeeded);
    this.#oracles.set(coin, stood);
  }

  /** The coins that are off the list now and have no settlement price yet. A coin without an oracle price waits for one. */
  onMeta({ universe }: VenueMeta, nowMs: number): DelistingChange[] {
    return universe.flatMap(({ name: coin, szDecimals, isDelisted }): DelistingChange[] => {
      if (isDelisted !== true) this.#told.delete(coin);
      const stood = this.#oracles.get(coin);
      if (isDelisted !== true || stood === undefined || this.#told.has(coin)) return [];
      this.#tell(coin);
      return [{ type: 'delisting', coin, timeMs: nowMs, price: averageOf(stood, nowMs, 6 - szDecimals).toString() }];
    });
  }

  #tell(coin: string): void {
    this.#told.add(coin);
    this.#oracles.delete(coin);
  }
}

/**
 * Each price counts for as long as it stood within the last hour, or the part of it that was seen. Half up to the decimals
 * of a price, so that a position is worth a whole number of micro-USD.
 */
function averageOf(stood: readonly Stood[], nowMs: number, decimals: number): Decimal {
  let weighted = ZERO;
  let heldMs = 0;
  for (const [index, { sinceMs, oraclePrice }] of stood.entries()) {
    const untilMs = stood[index + 1]?.sinceMs ?? nowMs;
    const ms = Math.max(0, untilMs - Math.max(sinceMs, nowMs - HOUR_MS));
    weighted = weighted.plus(new Decimal(oraclePrice).times(ms));
    heldMs += ms;
  }
  const last = new Decimal(stood.at(-1)?.oraclePrice ?? 0);
  return halfUp(heldMs === 0 ? last : roundOffResidue(weighted.div(heldMs)), decimals);
}
