// What a scenario is made into: control actions at times since its beginning. All that can be wrong with them is found here, before the first
// one is done. What is drawn is a function of the seed, so a file does the same each time on the same market.
import { createHash } from 'node:crypto';
import { toLegalPrice } from '../../actors/core/checks/checkForm.ts';
import { type LabSettings, PRESETS, readLab } from '../../api/accounts/labFields.ts';
import { UNREADABLE } from '../../api/http/requestReader.ts';
import type { Asset } from '../../market/domain/asset.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MarketControl } from './controlBody.ts';
import { toOperations } from './controlOperation.ts';
import { faultOf, type OwnStep, type Scenario, type ScenarioStep } from './scenarioFile.ts';

/** What a file may be made into, and how long it may take by the exchange's clock, ms. */
const TASKS_MAX = 1000;
export const DURATION_MS_MAX = DAY_MS;
const UNIT_MS = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS } as const;

export type Task =
  | { readonly do: 'control'; readonly control: MarketControl }
  | { readonly do: 'lab'; readonly lab: LabSettings; readonly forMs: number | undefined }
  | { readonly do: 'endLab' | 'wait' };
/** A task of a step at its time. */
export type TimedTask = Task & { readonly atMs: number; readonly step: number; readonly as?: string; readonly moved?: Moved };
/** Where a coin is from then on, in percent of its price at the beginning. */
interface Moved {
  readonly coin: string;
  readonly percent: number;
}

type Market = Pick<LiveMarket, 'assetOf' | 'contextOf'>;
type Made = Task & { readonly afterMs?: number; readonly moved?: Moved };
type BookStep = { readonly levels?: number; readonly levelUsd?: number; readonly spreadBps?: number };

/**
 * In the order of their times.
 * @param after name of the step behind which the run begins: what stands before it need not be possible any more
 * @param begun tasks of the same file that an earlier run has done: from where they left a coin its price at the beginning follows
 * @throws {RequestError} 400 that names the step; 409 for a coin that is off the list
 */
export function toTasks(
  { steps, seed = 1 }: Scenario,
  market: Market,
  { after, begun = [] }: { readonly after?: string | undefined; readonly begun?: readonly TimedTask[] } = {},
): TimedTask[] {
  const firstStep = after === undefined ? 0 : steps.findIndex(({ as }) => as === after) + 1;
  const left = new Map(begun.flatMap(({ moved }) => (moved === undefined ? [] : [[moved.coin, moved.percent] as const])));
  const tasks: TimedTask[] = [];
  const names = new Set<string>();
  const last = new Map<string, Decimal>();
  const delisted = new Set<string>();
  let atMs = 0;
  for (const [index, step] of steps.entries()) {
    const { at, as } = step;
    const nextMs = at === undefined ? atMs : toMs(at);
    if (nextMs < atMs) throw faultOf(index, '.at must not be before the step above');
    atMs = nextMs;
    if (as !== undefined && names.has(as)) throw faultOf(index, '.as is the name of another step');
    if (as !== undefined) names.add(as);
    if ('coin' in step && step.coin !== undefined && delisted.has(step.coin)) throw faultOf(index, '.coin is delisted above');
    const made =
      index < firstStep && isGone(step, market)
        ? [DONE]
        : inStep(index, () => makeTasks(step, { market, seed, index, last, left }));
    for (const [part, task] of made.entries()) {
      const { afterMs = 0, ...rest } = task;
      if (atMs + afterMs > DURATION_MS_MAX) throw faultOf(index, ' is later than a day after the beginning');
      tasks.push({ ...rest, atMs: atMs + afterMs, step: index, ...(as !== undefined && part === made.length - 1 && { as }) });
    }
    if (tasks.length > TASKS_MAX) throw faultOf(index, ` makes the scenario more than ${TASKS_MAX} actions`);
    if (step.action === 'delist') delisted.add(step.coin);
  }
  return tasks.sort((a, b) => a.atMs - b.atMs || a.step - b.step);
}

/** Done by the run before. */
const DONE: Made = { do: 'wait' };

const isGone = (step: ScenarioStep, market: Market): boolean =>
  'coin' in step && step.coin !== undefined && market.assetOf(step.coin)?.isDelisted === true;

/** @throws {RequestError} with the step's place */
function inStep<Result>(index: number, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RequestError) || error.message.startsWith(`${UNREADABLE}: the file`)) throw error;
    const text = error.message.replace(`${UNREADABLE}: `, '');
    throw new RequestError(error.status, error.code, `${UNREADABLE}: the file: steps[${index}]: ${text}`);
  }
}

interface At {
  readonly market: Market;
  readonly seed: number;
  readonly index: number;
  /** Where each coin was set last. */
  readonly last: Map<string, Decimal>;
  /** Where earlier tasks have left each coin, percent. */
  readonly left: ReadonlyMap<string, number>;
}

function makeTasks(step: ScenarioStep, at: At): Made[] {
  switch (step.action) {
    case 'market':
      return moveTo(step, step.percent, at);
    case 'walk':
      return walk(step, at);
    case 'lab': {
      const { action: _, at: _at, as: _as, for: forTime, preset, ...own } = step;
      const lab = preset === undefined ? own : { ...PRESETS[preset].profile, ...own };
      readLab(lab, 'checked');
      return [{ do: 'lab', lab, forMs: forTime === undefined ? undefined : toMs(forTime) }];
    }
    case 'endLab':
    case 'wait':
      return [{ do: step.action }];
    default: {
      const { at: _at, as: _as, ...control } = step;
      toOperations(control as MarketControl, at.market);
      return [{ do: 'control', control: control as MarketControl }];
    }
  }
}

/** A trade at the new price, a book around it, and the price. */
function moveTo({ coin, ...book }: { readonly coin: string } & BookStep, percent: number, { market, last, left }: At): Made[] {
  const asset = market.assetOf(coin);
  // What it says of an unknown or delisted coin is said as for any action.
  toOperations({ action: 'pause', coin }, market);
  const mark = asset && market.contextOf(asset.id)?.context.markPx;
  if (asset === undefined || mark === undefined) throw new RequestError(400, 'unknown_coin', `${coin} has no price yet.`);
  const beginning = new Decimal(mark).mul(100).div(100 + (left.get(coin) ?? 0));
  const price = beginning.mul(new Decimal(100).add(percent)).div(100);
  const before = last.get(coin) ?? new Decimal(mark);
  last.set(coin, price);
  const px = toLegalPrice(price, { side: 'buy', sizeDecimals: asset.sizeDecimals });
  const { bids, asks, sz } = bookAround(price, asset, book);
  const controls: MarketControl[] = [
    ...(px.eq(before)
      ? []
      : [
          {
            action: 'trade' as const,
            coin,
            px: px.toFixed(),
            sz,
            side: px.lt(before) ? ('A' as const) : ('B' as const),
            keepBook: true,
          },
        ]),
    // The book first: what the price triggers or liquidates trades on the book of its moment.
    { action: 'setBook', coin, bids, asks },
    { action: 'setPrice', coin, px: px.toFixed() },
  ];
  for (const control of controls) toOperations(control, market);
  return controls.map((control) => ({ do: 'control', control, moved: { coin, percent } }));
}

function bookAround(price: Decimal, { sizeDecimals }: Asset, { levels = 10, levelUsd = 100_000, spreadBps = 2 }: BookStep) {
  const size = new Decimal(levelUsd).div(price).toDecimalPlaces(sizeDecimals, Decimal.ROUND_DOWN);
  const sz = Decimal.max(size, new Decimal(10).pow(-sizeDecimals)).toFixed();
  const side = (letter: 'buy' | 'sell'): { px: string; sz: string }[] => {
    const prices = Array.from({ length: levels }, (_, at) => {
      const away = new Decimal(spreadBps).mul(at + 0.5).div(10_000);
      return toLegalPrice(price.mul(letter === 'buy' ? new Decimal(1).sub(away) : away.add(1)), { side: letter, sizeDecimals });
    }).filter((px) => px.gt(0));
    return [...new Set(prices.map((px) => px.toFixed()))].map((px) => ({ px, sz }));
  };
  const [bids, asks] = [side('buy'), side('sell')];
  // So near each other that one legal price is both: the book has the asks from the next one on.
  return { bids, asks: asks.filter(({ px }) => bids[0] === undefined || new Decimal(px).gt(bids[0].px)), sz };
}

function walk(step: Extract<OwnStep, { action: 'walk' }>, at: At): Made[] {
  const { drift = 0, noise = 0, coin, percent = 0 } = step;
  const [everyMs, forMs] = [toMs(step.every), toMs(step.for)];
  if (everyMs === 0) throw faultOf(at.index, '.every must be above 0');
  const parts = Math.floor(forMs / everyMs);
  if (parts * 3 > TASKS_MAX) throw faultOf(at.index, ` makes the scenario more than ${TASKS_MAX} actions`);
  let now = percent;
  return Array.from({ length: parts + 1 }, (_, part) => {
    if (part > 0) now += drift + noise * (2 * drawOf(`${at.seed}:${at.index}:${coin}:${part}`) - 1);
    const bounded = Math.max(-99, Math.min(1000, Number(now.toFixed(4))));
    return moveTo(step, bounded, at).map((task) => ({ ...task, afterMs: part * everyMs }));
  }).flat();
}

/** In [0, 1). */
const drawOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;

function toMs(text: string): number {
  const [, count = '0', unit = 'ms'] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
