// The cost of an action of 1 to 1,000 elements for the account's owner, part by part: microseconds of CPU per element. A part whose
// cost grows with the number of elements has a ratio above one. Prints one line of JSON.
// `node --import tsx bench/batch.ts [--case name] [--n 1,10,100,1000]`
import { parseArgs } from 'node:util';
import type { AccountCommand, TriedCommand } from '../src/actors/core/messages/command.ts';
import { writeEntry } from '../src/actors/core/messages/entry.ts';
import { readEnvelope, writeEnvelope, writeReply } from '../src/actors/core/messages/envelope.ts';
import { TriggerIndex } from '../src/actors/engine/index/markIndex.ts';
import { OrderIndex } from '../src/actors/engine/index/orderIndex.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { type BatchCase, batchCases } from './support/batchCases.ts';
import { requireOutcome } from './support/benchAccount.ts';

/** CPU that is measured for a figure at least, and rounds that come before, microseconds. */
const MEASURED_MICROS = 60_000;
const WARM_UP_MICROS = 60_000;
const ROUNDS_MAX = 2000;

const PARTS = ['readEnvelope', 'decide', 'record', 'index', 'writeEntry', 'writeReply'] as const;
type Part = (typeof PARTS)[number];

const { values } = parseArgs({ options: { case: { type: 'string' }, n: { type: 'string' } } });
const sizes = (values.n ?? '1,10,100,1000').split(',').map(Number);
const cases = batchCases.filter(({ name }) => values.case === undefined || name === values.case);

/** Microseconds of this process's CPU that the work takes; added to the part's sum. */
class Meter {
  readonly micros = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;

  measure<Result>(part: Part, work: () => Result): Result {
    const started = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(started);
    this.micros[part] += user + system;
    return result;
  }

  get total(): number {
    return Object.values(this.micros).reduce((sum, micros) => sum + micros, 0);
  }
}

function round(one: BatchCase, n: number, meter: Meter): void {
  const bench = one.account(n);
  const command = one.command(n, bench);
  const id = { incarnation: 'bench', counter: 1 };
  const orders = new OrderIndex();
  const triggers = new TriggerIndex();
  orders.add(bench.account);
  triggers.add(bench.account);
  const text = writeEnvelope({ id, requestId: 'bench', command }, NEWEST_FORMAT);
  meter.measure('readEnvelope', () => readEnvelope(text));
  const decision = meter.measure('decide', () => bench.decide(command));
  requireOutcome(decision.outcome, one.expected);
  const entry = meter.measure('record', () => bench.record(decision));
  meter.measure('index', () => {
    orders.update(bench.account, entry.events);
    triggers.update(bench.account, entry.events);
  });
  meter.measure('writeEntry', () => writeEntry(entry, NEWEST_FORMAT));
  meter.measure('writeReply', () => writeReply(id, { outcome: decision.outcome }, NEWEST_FORMAT));
}

function perElement(one: BatchCase, n: number): Record<string, number> {
  run(one, n, WARM_UP_MICROS);
  const { meter, rounds } = run(one, n, MEASURED_MICROS);
  const figures: Record<string, number> = {};
  for (const part of PARTS) figures[part] = toFigure(meter.micros[part] / rounds / n);
  figures['all'] = toFigure(meter.total / rounds / n);
  return figures;
}

function run(one: BatchCase, n: number, micros: number): { meter: Meter; rounds: number } {
  const meter = new Meter();
  let rounds = 0;
  while (rounds < ROUNDS_MAX && meter.total < micros) {
    round(one, n, meter);
    rounds += 1;
  }
  return { meter, rounds };
}

const toFigure = (micros: number): number => Math.round(micros * 10) / 10;

/** A dry run of the action: microseconds of the owner, from the decision to the reply's text, and bytes of that; per element. */
function dryRunOf(one: BatchCase, n: number): Record<string, number> | undefined {
  const bench = one.account(n);
  const command = one.command(n, bench);
  if (!isTried(command)) return undefined;
  const id = { incarnation: 'bench', counter: 1 };
  const once = (): string => {
    const { outcome } = bench.decide({ type: 'query', query: { kind: 'dryRun', command } });
    return writeReply(id, { outcome }, NEWEST_FORMAT);
  };
  let bytes = 0;
  const repeat = (micros: number): number => {
    const started = process.cpuUsage();
    for (let rounds = 1; ; rounds++) {
      bytes = once().length;
      const { user, system } = process.cpuUsage(started);
      if (user + system >= micros) return (user + system) / rounds;
    }
  };
  repeat(WARM_UP_MICROS);
  return { micros: toFigure(repeat(MEASURED_MICROS) / n), bytes: toFigure(bytes / n) };
}

const TRIED = ['placeOrders', 'cancelOrders', 'modifyOrders', 'updateLeverage', 'updateIsolatedMargin', 'topUpIsolatedMargin'];
const isTried = (command: AccountCommand): command is TriedCommand => TRIED.includes(command.type);

for (const one of cases) {
  const byN = Object.fromEntries(sizes.map((n) => [n, perElement(one, n)]));
  const [ten, thousand] = [byN[10]?.['all'], byN[1000]?.['all']];
  const ratio = ten === undefined || thousand === undefined ? undefined : toFigure(thousand / ten);
  console.log(
    JSON.stringify({
      case: one.name,
      microsPerElement: byN,
      ratio,
      dryRun: Object.fromEntries(sizes.map((n) => [n, dryRunOf(one, n)])),
    }),
  );
}
