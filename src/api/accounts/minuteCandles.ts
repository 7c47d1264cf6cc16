// The newest minutes of each coin as the feed has them, so that candles go on from the kept ones without a question to the venue. What
// came before a gap of the feed is forgotten: a minute may have ended unseen. A minute without a trade stands at the last price.
import type { CandleChange, VenueCandle } from '../../market/domain/feed.ts';
import { MINUTE_MS } from '../../shared/domain/units.ts';

/** Minutes of a coin: the hour in progress, and as long again. */
const MINUTES_MAX = 120;

/** Time that goes ahead of the machine's by so much was set: minutes have passed unseen. */
const SET_AHEAD_MS = 10_000;

export class MinuteCandles {
  readonly #elapsedMs: () => number;
  /** Time less the machine's. */
  #offsetMs: number | undefined;
  /** Consecutive, oldest first. */
  readonly #coins = new Map<string, VenueCandle[]>();
  #connectedSinceMs: number | null = null;

  /** @param elapsedMs monotonic, of the machine */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
  }

  onStatus(connectedSinceMs: number | null): void {
    if (connectedSinceMs !== this.#connectedSinceMs) this.restart();
    this.#connectedSinceMs = connectedSinceMs;
  }

  /** Changes may have been missed. */
  restart(): void {
    this.#coins.clear();
  }

  onCandle({ coin, candle, timeMs }: Omit<CandleChange, 'type'>): void {
    this.#look(timeMs);
    const rows = this.#coins.get(coin) ?? [];
    this.#coins.set(coin, rows);
    const at = rows.findLastIndex(({ t }) => t === candle.t);
    if (at >= 0) rows[at] = candle;
    else if (rows.length === 0 || candle.t > (rows.at(-1)?.t ?? 0)) {
      fillTo(rows, candle.t - MINUTE_MS);
      rows.push(candle);
      rows.splice(0, rows.length - MINUTES_MAX);
    }
  }

  /**
   * The minutes from one on up to the one in progress.
   * @returns undefined where the feed does not have all of them
   */
  from(coin: string, fromMs: number, nowMs: number): readonly VenueCandle[] | undefined {
    this.#look(nowMs);
    const rows = this.#connectedSinceMs === null ? undefined : this.#coins.get(coin);
    const first = rows?.[0];
    const minuteMs = nowMs - (nowMs % MINUTE_MS);
    if (rows === undefined || first === undefined || first.t > fromMs || minuteMs - first.t > MINUTES_MAX * MINUTE_MS)
      return undefined;
    const shown = rows.filter(({ t }) => t >= fromMs - (fromMs % MINUTE_MS));
    const last = rows.at(-1);
    if (shown.length === 0 && last !== undefined) shown.push(...flat(last, fromMs - (fromMs % MINUTE_MS)));
    fillTo(shown, minuteMs);
    return shown;
  }

  #look(timeMs: number): void {
    const offsetMs = timeMs - this.#elapsedMs();
    const isSetAhead = this.#offsetMs !== undefined && offsetMs - this.#offsetMs > SET_AHEAD_MS;
    if (isSetAhead) this.restart();
    if (isSetAhead || this.#offsetMs === undefined) this.#offsetMs = offsetMs;
  }
}

/** Adds the minutes without a trade behind the last row, up to the one that begins at `untilMs`. */
function fillTo(rows: VenueCandle[], untilMs: number): void {
  for (let last = rows.at(-1); last !== undefined && last.t < untilMs && rows.length < MINUTES_MAX; last = rows.at(-1))
    rows.push(...flat(last, last.t + MINUTE_MS));
}

const flat = ({ s, i, c }: VenueCandle, t: number): [VenueCandle] => [
  { t, T: t + MINUTE_MS - 1, s, i, o: c, c, h: c, l: c, v: '0.0', n: 0 },
];
