// Whose command is next. Accounts with waiting commands share the shard by the time that their commands take, not by
// their number: what one of them uses is taken off its credit and shared out among the others that wait, and the one with
// the most credit goes next. An account that comes begins beside the best of them and goes before those that were served,
// so it waits for the command that is running and no other, however many another account has waiting. What it owes it
// still owes when it comes again, until as much time has passed. What is shared out is counted once for all, so a turn costs
// little more however many accounts wait.
import { IndexedHeap, type InHeap } from '../../../shared/domain/indexedHeap.ts';

/** An account that waits goes before all that come when it has that much more credit than it began with, microseconds. */
const LEAD_MICROS = 250_000;

interface Turn<Command> extends InHeap {
  readonly accountId: string;
  readonly commands: Command[];
  /** Its credit without what was shared out, microseconds. */
  own: number;
  /** The credit of an account that owed nothing when this one came. */
  readonly level: number;
  isServed: boolean;
  /** Of two equals the first that came goes first. */
  readonly came: number;
}

interface Debt {
  readonly micros: number;
  /** When it was made, microseconds. */
  readonly at: number;
}

export class FairTurns<Command> {
  readonly #micros: () => number;
  readonly #onCharged: (accountId: string, micros: number) => void;
  readonly #turns = new Map<string, Turn<Command>>();
  readonly #order = new IndexedHeap<Turn<Command>>(isBefore);
  /** What every account that waits was given of the others' time, microseconds. */
  #shared = 0;
  #came = 0;
  /** Of accounts that do not wait. Oldest first; each is gone after as much time as it is for. */
  readonly #debts = new Map<string, Debt>();

  /** @param micros a clock that only goes forward, microseconds @param onCharged told what each command has taken */
  constructor(micros: () => number, onCharged: (accountId: string, micros: number) => void = () => undefined) {
    this.#micros = micros;
    this.#onCharged = onCharged;
  }

  get isEmpty(): boolean {
    return this.#turns.size === 0;
  }

  /** True while commands of the account wait here. */
  has(accountId: string): boolean {
    return this.#turns.has(accountId);
  }

  /** @param commands of one account, oldest first */
  add(accountId: string, commands: readonly Command[]): void {
    if (commands.length === 0) return;
    const waiting = this.#turns.get(accountId);
    if (waiting) {
      waiting.commands.push(...commands);
      return;
    }
    const none = -this.#shared;
    const begin = Math.min(LEAD_MICROS + none, Math.max(none, this.#order.first?.own ?? none));
    this.#came += 1;
    const own = begin - this.#owedBy(accountId);
    const level = begin + this.#shared;
    // In one piece: an object that is put together from others is slow to read, and each command reads it a dozen times.
    const turn = { accountId, commands: [...commands], own, level, isServed: false, came: this.#came, at: 0 };
    this.#turns.set(accountId, turn);
    this.#order.add(turn);
  }

  /** The account's commands do not wait any more. */
  drop(accountId: string): void {
    const turn = this.#turns.get(accountId);
    if (turn === undefined) return;
    this.#turns.delete(accountId);
    this.#order.remove(turn);
    this.#owe(turn);
  }

  /** Runs one command of the account whose turn it is, and charges it for the time. */
  runNext(run: (accountId: string, command: Command) => void): void {
    const turn = this.#order.first;
    if (turn === undefined) return;
    const { accountId } = turn;
    const command = turn.commands.shift() as Command;
    const started = this.#micros();
    try {
      run(accountId, command);
    } finally {
      const taken = this.#micros() - started;
      this.#charge(turn, taken);
      this.#onCharged(accountId, taken);
      if (this.#turns.get(accountId) !== turn) this.#owe(turn);
      else if (turn.commands.length === 0) this.drop(accountId);
    }
  }

  /** An account that waits alone takes time from no other: it owes its last command. */
  #charge(turn: Turn<Command>, micros: number): void {
    const isWaiting = this.#turns.get(turn.accountId) === turn;
    const others = this.#turns.size - (isWaiting ? 1 : 0);
    turn.isServed = true;
    if (others === 0) turn.own = turn.level - micros - this.#shared;
    else {
      const share = micros / others;
      this.#shared += share;
      turn.own -= micros + share;
    }
    if (isWaiting) this.#order.settle(turn);
  }

  #owe({ accountId, own, level }: Turn<Command>): void {
    const at = this.#micros();
    const credit = own + this.#shared;
    if (credit < level) this.#debts.set(accountId, { micros: level - credit, at });
    for (const [id, debt] of this.#debts) {
      if (debt.at + debt.micros > at) break;
      this.#debts.delete(id);
    }
  }

  #owedBy(accountId: string): number {
    const debt = this.#debts.get(accountId);
    if (debt === undefined) return 0;
    this.#debts.delete(accountId);
    return Math.max(0, debt.micros - (this.#micros() - debt.at));
  }
}

function isBefore(a: Turn<unknown>, b: Turn<unknown>): boolean {
  if (a.own !== b.own) return a.own > b.own;
  return a.isServed === b.isServed ? a.came < b.came : b.isServed;
}
