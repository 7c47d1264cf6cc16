// 3,500 random lives of five kinds, drawn once and for all, of which digests are committed. A change of the code that is to change
// no decision leaves each of them byte for byte: the account's journal, answers and snapshots, and its owner's view.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import { HistoryBatch } from '../../src/actors/core/history/historyDocuments.ts';
import { writeEntry } from '../../src/actors/core/messages/entry.ts';
import { writeOutcome } from '../../src/actors/core/messages/envelope.ts';
import { FILL_MODELS, type Terms } from '../../src/actors/core/messages/terms.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import type { AccountLimits, TradeLimits } from '../../src/shared/domain/limits.ts';
import { QUERIES } from '../formats/examples.ts';
import { LIVES as GOLDEN_LIVES, lifeOf } from '../formats/golden.ts';
import { deposit, Scenario, type Step } from '../support/scenario.ts';
import { NOT_MIRRORED, Pair } from '../support/whatIfPair.ts';
import { DEPOSIT_USD } from './life.ts';
import { lifeInLab, type RandomStep, randomLife, toSteps } from './randomSteps.ts';

/** `bin/test` draws its seed from the sources, so that each change meets other lives; these lives stay the same. */
const SEED = 29;
/** The digests of so many lives stand together. */
export const BATCH_LIVES = 50;

/** A life as text: one line for each entry, outcome, row, snapshot and answer. */
export interface LifeText {
  readonly lines: readonly string[];
  readonly eventTypes: ReadonlySet<string>;
}

/** A life that was drawn, and can be lived. */
export interface DrawnLife {
  readonly drawn: unknown;
  readonly live: () => LifeText;
}

/** Lives of one kind, the same and in the same order every time. */
interface Kind {
  readonly count: number;
  readonly draw: () => readonly DrawnLife[];
}

function kind<Drawn>(count: number, arbitrary: fc.Arbitrary<Drawn>, live: (drawn: Drawn, number: number) => Scenario[]): Kind {
  return {
    count,
    draw: () =>
      fc
        .sample(arbitrary, { numRuns: count, seed: SEED })
        .map((drawn, number) => ({ drawn, live: () => textOf(live(drawn, number)) })),
  };
}

const begun = (): Recorded => new Recorded().given(deposit(DEPOSIT_USD));

/** A scenario that keeps the outcome of each of its commands. */
class Recorded extends Scenario {
  readonly outcomes: string[] = [];

  override when(step: Step): this {
    super.when(step);
    if (this.outcome) this.outcomes.push(writeOutcome(this.outcome, NEWEST_FORMAT));
    return this;
  }
}

const amount = fc.constantFrom('10', '100', '1000', '5000');
const act = fc.constantFrom('warn' as const, 'refuse' as const, 'close' as const);
const minute = fc.constantFrom(0, 1, 600, 1439);

const houseRules: fc.Arbitrary<AccountLimits> = fc.record(
  {
    dailyLoss: fc.record({ usd: amount, act }),
    drawdown: fc.record({ percent: fc.constantFrom('1', '5', '50'), act }),
    hours: fc.record({ fromMinute: minute, toMinute: minute, act }),
    coins: fc.record({ only: fc.constantFrom(['SOL'], ['SOL', 'ISO'], ['TIER']), act }),
  },
  { requiredKeys: [] },
);

const keyLimits: fc.Arbitrary<TradeLimits> = fc.record(
  {
    orderUsd: amount,
    leverage: fc.integer({ min: 1, max: 20 }),
    dailyLossUsd: amount,
    ordersPerMinute: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: [] },
);

const terms: fc.Arbitrary<Terms> = fc.record(
  {
    leverage: fc.integer({ min: 1, max: 50 }),
    fillModel: fc.constantFrom(...FILL_MODELS),
    fees: fc.constantFrom({ maker: '0', taker: '0.001' }, { maker: '-0.0001', taker: '0.0002' }),
    latency: fc.record({ seed: fc.nat(9), submit: fc.integer({ min: 0, max: 500 }), cancel: fc.integer({ min: 0, max: 500 }) }),
  },
  { requiredKeys: [] },
);

/** Under limits: house rules that are set on the way, a limited key from some step on, the address limit, and samples of equity. */
const underLimits = fc.record({
  life: randomLife,
  rules: houseRules,
  rulesAt: fc.nat(12),
  limits: keyLimits,
  keyAt: fc.nat(24),
});

export const KINDS: Readonly<Record<string, Kind>> = {
  plain: kind(2000, randomLife, (steps) => [stepByStep(begun(), steps)]),
  'in a lab': kind(300, lifeInLab, (steps) => [stepByStep(begun(), steps)]),
  'under limits': kind(300, underLimits, ({ life, rules, rulesAt, limits, keyAt }) => {
    const scenario = begun();
    scenario.addressLimit = true;
    life.forEach((step, at) => {
      if (at === rulesAt) scenario.when({ type: 'setHouseRules', rules });
      if (at === keyAt) scenario.key = { keyId: 'key_1', ...limits };
      stepByStep(scenario, [step]);
      if (at % 8 === 7) scenario.when({ type: 'sampleEquity', periodMs: scenario.market.nowMs });
    });
    return [scenario];
  }),
  'what-if': kind(200, fc.record({ life: randomLife, terms }), ({ life, terms: own }) => {
    const pair = new Pair(own);
    for (const step of life.filter(({ kind: of }) => !NOT_MIRRORED.has(of)))
      for (const part of toSteps(step, pair.source)) pair.when(part);
    return [pair.source, pair.whatIf];
  }),
  // The lives of the golden files, which meet every event, command and field, and a random life after each.
  'after a golden life': kind(700, randomLife, (steps, number) => [
    stepByStep(lifeOf(GOLDEN_LIVES[number % GOLDEN_LIVES.length] as string, NEWEST_FORMAT), steps),
  ]),
};

export interface BatchDigests {
  /** Of what was drawn: where it differs, the generator or fast-check has changed, and not the rules. */
  readonly drawn: string;
  /** One digest a life, with a space between two. */
  readonly lives: string;
}

/** Lives the batch. */
export function digestsOf(batch: readonly DrawnLife[], see: (text: LifeText) => void = () => undefined): BatchDigests {
  const lives = batch.map(({ live }) => {
    const text = live();
    see(text);
    return digestOf(text.lines);
  });
  return { drawn: digestOf(batch.map(({ drawn }) => JSON.stringify(drawn))), lives: lives.join(' ') };
}

function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 10);
}

function stepByStep<Lived extends Scenario>(scenario: Lived, steps: readonly RandomStep[]): Lived {
  for (const step of steps) for (const part of toSteps(step, scenario)) scenario.when(part);
  return scenario;
}

function textOf(scenarios: readonly Scenario[]): LifeText {
  const lines = scenarios.flatMap((scenario) => [
    ...scenario.entries.map((entry) => writeEntry(entry, NEWEST_FORMAT)),
    ...(scenario instanceof Recorded ? scenario.outcomes : []),
    ...rowsOf(scenario),
    toSnapshot(scenario.account, NEWEST_FORMAT),
    ...answersOf(scenario),
  ]);
  const events = scenarios.flatMap(({ entries }) => entries.flatMap((entry) => entry.events));
  return { lines, eventTypes: new Set(events.map(({ type }) => type)) };
}

/** Rows of history as MongoDB gets them. */
function rowsOf({ entries }: Scenario): string[] {
  const batch = new HistoryBatch(NEWEST_FORMAT);
  entries.forEach((entry, at) => {
    batch.add({ number: at + 1, timeMs: entry.timeMs, epoch: 1, idCounter: at, entries: [entry] });
  });
  return [...batch.history, ...batch.orderEnds].flatMap(({ id, rows }) => rows.map(({ text }) => `${id} ${text}`));
}

/** The account's answer to every question at its end, and the reason why each of its orders is open. */
function answersOf(scenario: Scenario): string[] {
  const open = [...scenario.account.orders.keys(), ...scenario.account.triggers.keys()];
  const why = open.map((oid) => ({ kind: 'whyOpen', target: { oid } }) as const);
  return [...Object.values(QUERIES), ...why].map((query) => {
    scenario.when({ type: 'query', query });
    return scenario.outcome ? writeOutcome(scenario.outcome, NEWEST_FORMAT) : `no answer to ${query.kind}`;
  });
}
