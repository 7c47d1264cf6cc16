// One random life of an account, lived step by step against the pure rules. Each watcher sees every step with the
// state before and after it. The first failure ends the life, and fast-check shrinks it.
import type { Account } from '../../src/actors/core/account/account.ts';
import { OpenOrderBook } from '../../src/actors/core/account/openOrderBook.ts';
import { OrderMap } from '../../src/actors/core/account/orderMap.ts';
import type { AccountStateView } from '../../src/actors/core/messages/accountFigures.ts';
import type { AccountEntry } from '../../src/actors/core/messages/entry.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import { accountState } from '../../src/actors/core/views/accountState.ts';
import type { FixtureMarket } from '../support/fixtureMarket.ts';
import { deposit, Scenario } from '../support/scenario.ts';
import { type RandomStep, toSteps } from './randomSteps.ts';

/** Of what the account does by itself when its time has come. */
const DUE_EVENTS: ReadonlySet<string> = new Set(['twapSliced', 'scheduledCancelFired', 'delayedActionDecided', 'orderLetGo']);

export const DEPOSIT_USD = '5000';

/** One step, with its result. */
export class Moment {
  readonly step: RandomStep | 'opening';
  readonly market: FixtureMarket;
  readonly account: Account;
  readonly outcome: Outcome | undefined;
  readonly events: readonly AccountEvent[];
  readonly entries: readonly AccountEntry[];
  /** The account as it was: the live one has been folded on in place. */
  readonly before: Account;
  #state: AccountStateView | undefined;
  #journal: readonly string[] | undefined;

  constructor(scenario: Scenario, since: { step: Moment['step']; before: Account; entries: number }) {
    this.step = since.step;
    this.market = scenario.market;
    this.account = scenario.account;
    this.outcome = scenario.outcome;
    this.entries = scenario.entries.slice(since.entries);
    this.events = this.entries.flatMap(({ events }) => events);
    this.before = since.before;
  }

  /** False when nothing has happened that a figure could show: no entry, no mark, no hour. */
  get isNews(): boolean {
    return this.entries.length > 0 || (this.step !== 'opening' && (this.step.kind === 'mark' || this.step.kind === 'hours'));
  }

  /** True when something was due before the step, and was done first: that is not the step's own doing. */
  get hadDue(): boolean {
    return this.events.some(({ type }) => DUE_EVENTS.has(type));
  }

  /** The entries as they are stored. */
  get journal(): readonly string[] {
    this.#journal ??= this.entries.map((entry) => JSON.stringify(entry));
    return this.#journal;
  }

  /** The figures of `clearinghouseState`, now. */
  get state(): AccountStateView {
    this.#state ??= accountState(this.account, this.market, this.market.nowMs);
    return this.#state;
  }
}

/** Looks at one step. @throws what it does not like */
export type Watch = (moment: Moment) => void;

/** A promise of trading-rules section 8, or of this project. `watch` starts again for each life. */
export interface Invariant {
  /** `invariant 3`, or a few words for a promise without a number. */
  readonly name: string;
  readonly says: string;
  readonly watch: () => Watch;
}

/** Names the invariant that a life has broken. */
export class InvariantBroken extends Error {
  readonly invariant: string;

  constructor({ name, says }: Invariant, cause: unknown) {
    super(`${name} (${says}): ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.invariant = name;
  }
}

/** Lives the steps. @throws InvariantBroken */
export function live(steps: readonly RandomStep[], invariants: readonly Invariant[]): Scenario {
  const scenario = new Scenario();
  const watches = invariants.map((invariant) => ({ invariant, watch: invariant.watch() }));
  const see = (since: ConstructorParameters<typeof Moment>[1]): void => {
    const moment = new Moment(scenario, since);
    for (const { invariant, watch } of watches) {
      try {
        watch(moment);
      } catch (error) {
        throw new InvariantBroken(invariant, error);
      }
    }
  };
  const unopened = copyOf(scenario.account);
  scenario.when(deposit(DEPOSIT_USD));
  see({ step: 'opening', before: unopened, entries: 0 });
  for (const step of steps) {
    const before = copyOf(scenario.account);
    const entries = scenario.entries.length;
    for (const part of toSteps(step, scenario)) scenario.when(part);
    see({ step, before, entries });
  }
  return scenario;
}

/** Values of the maps never change; the maps do. */
function copyOf(account: Account): Account {
  return {
    ...account,
    positions: new Map(account.positions),
    orders: new OpenOrderBook(account.orders),
    triggers: new OrderMap(account.triggers),
    leverage: new Map(account.leverage),
    consumption: new Map(account.consumption),
    twaps: new Map(account.twaps),
    funding: new Map(account.funding),
    commandIds: new Map(account.commandIds),
  };
}
