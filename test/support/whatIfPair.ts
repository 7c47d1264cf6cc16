// An account and its what-if, decided side by side by the rules alone.
import type { Account } from '../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand, CopiedCommand } from '../../src/actors/core/messages/command.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import type { Terms } from '../../src/actors/core/messages/terms.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import type { RandomStep } from '../proof/randomSteps.ts';
import { ACCOUNT_ID, deposit, Scenario, type Step } from './scenario.ts';

export const WHAT_IF = `0x${'cd'.repeat(20)}`;
/** Commands that do not go to the what-if, or are by design other commands there: the lab's scripts. */
export const NOT_MIRRORED: ReadonlySet<RandomStep['kind']> = new Set(['account', 'transfer', 'reserve', 'lab', 'terms']);

function forkOf(account: Account, terms: Terms): AccountCommand {
  const state = JSON.parse(toSnapshot(account, NEWEST_FORMAT));
  return { type: 'beginFork', of: account.id, seq: account.seq, hash: stateHashOf(account), terms, state };
}

/** An account and its what-if, which meet the same market; each command of the one comes to the other at once. */
export class Pair {
  readonly source: Scenario;
  readonly whatIf: Scenario;
  /** Entry of the source that the what-if began after. */
  readonly forkedAt: number;
  #heard: number;

  constructor(terms: Terms, ...before: readonly Step[]) {
    this.source = new Scenario().given(deposit('10000'), ...before);
    this.forkedAt = this.source.account.seq;
    this.whatIf = new Scenario(this.source.market, NEWEST_FORMAT, 1_000_000).when(forkOf(this.source.account, terms));
    this.source.when({ type: 'addMirror', to: WHAT_IF });
    this.#heard = this.source.entries.length;
  }

  when(step: Step): this {
    if (typeof step === 'function') {
      const change = step(this.source.market);
      this.source.when(() => change);
      this.whatIf.when(() => change);
    } else {
      this.source.when(step);
      if ('type' in step && ['settleFunding', 'scanLiquidation', 'sampleEquity'].includes(step.type)) this.whatIf.when(step);
    }
    for (const event of this.#mirrored()) this.receive(event.number, event.command);
    // Due work with it: the source hears that the what-if has had the command, which wakes the source alone.
    for (const one of [this.source, this.whatIf]) one.when(() => undefined);
    this.#heard = this.source.entries.length;
    return this;
  }

  receive(number: number, command: CopiedCommand): void {
    this.whatIf.when({ type: 'mirrored', of: ACCOUNT_ID, number, command });
    this.source.when({ type: 'settleMirror', to: WHAT_IF, through: this.whatIf.account.fork?.received ?? 0 });
    this.#heard = this.source.entries.length;
  }

  given(...steps: readonly Step[]): this {
    for (const step of steps) this.when(step);
    return this;
  }

  #mirrored(): Extract<AccountEvent, { type: 'commandMirrored' }>[] {
    const events = this.source.entries.slice(this.#heard).flatMap((entry) => entry.events);
    return events.flatMap((event) => (event.type === 'commandMirrored' ? [event] : []));
  }
}

/** The common state of two accounts that have done the same. */
export const figures = ({ cash, positions, orders, triggers, leverage: settings, twaps, totals }: Account) => ({
  cash: cash.toString(),
  positions: [...positions.values()].map((each) => [
    each.asset,
    each.signedSize.toString(),
    each.entryNotional.toString(),
    each.leverage,
  ]),
  orders: [...orders.keys()],
  waiting: [...triggers.keys()],
  leverage: [...settings].sort(([a], [b]) => a - b),
  twaps: [...twaps.values()],
  fees: totals.feesUsd.toString(),
});
