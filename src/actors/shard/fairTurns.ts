// Whose command is next. Accounts with waiting commands share the shard by the time that their commands take, not by
// their number: what one of them uses is taken off its credit and shared out among the others that wait, and the one with
// the most credit goes next. An account that comes begins beside the best of them and goes before those that were served,
// so it waits for the command that is running and no other, however many another account has waiting. What it owes it
// still owes when it comes again, until as much time has passed.

/** An account that waits goes before all that come when it has that much more credit than it began with, microseconds. */
const LEAD_MICROS = 250_000;

interface Turn<Command> {
  readonly commands: Command[];
  /** Microseconds. */
  credit: number;
  /** The credit of an account that owed nothing when this one came. */
  readonly level: number;
  isServed: boolean;
}

interface Debt {
  readonly micros: number;
  /** When it was made, microseconds. */
  readonly at: number;
}

export class FairTurns<Command> {
  readonly #micros: () => number;
  /** In the order in which they came: of two equals the first goes first. */
  readonly #turns = new Map<string, Turn<Command>>();
  /** Of accounts that do not wait. Oldest first; each is gone after as much time as it is for. */
  readonly #debts = new Map<string, Debt>();

  /** @param micros a clock that only goes forward, microseconds */
  constructor(micros: () => number) {
    this.#micros = micros;
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
    const level = Math.min(LEAD_MICROS, Math.max(0, this.#next()?.[1].credit ?? 0));
    const credit = level - this.#owedBy(accountId);
    this.#turns.set(accountId, { commands: [...commands], credit, level, isServed: false });
  }

  /** The account's commands do not wait any more. */
  drop(accountId: string): void {
    const turn = this.#turns.get(accountId);
    if (turn === undefined) return;
    this.#turns.delete(accountId);
    this.#owe(accountId, turn);
  }

  /** Runs one command of the account whose turn it is, and charges it for the time. */
  runNext(run: (accountId: string, command: Command) => void): void {
    const next = this.#next();
    if (next === undefined) return;
    const [accountId, turn] = next;
    const command = turn.commands.shift() as Command;
    const started = this.#micros();
    try {
      run(accountId, command);
    } finally {
      this.#charge(turn, this.#micros() - started);
      if (this.#turns.get(accountId) !== turn) this.#owe(accountId, turn);
      else if (turn.commands.length === 0) this.drop(accountId);
    }
  }

  #next(): readonly [accountId: string, turn: Turn<Command>] | undefined {
    let next: readonly [accountId: string, turn: Turn<Command>] | undefined;
    for (const entry of this.#turns) if (next === undefined || isBefore(entry[1], next[1])) next = entry;
    return next;
  }

  /** An account that waits alone takes time from no other: it owes its last command. */
  #charge(turn: Turn<Command>, micros: number): void {
    turn.isServed = true;
    if (this.#turns.size === 1) {
      turn.credit = turn.level - micros;
      return;
    }
    const share = micros / (this.#turns.size - 1);
    for (const each of this.#turns.values()) if (each !== turn) each.credit += share;
    turn.credit -= micros;
  }

  #owe(accountId: string, { credit, level }: Turn<Command>): void {
    const at = this.#micros();
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

function isBefore<Command>(a: Turn<Command>, b: Turn<Command>): boolean {
  return a.credit > b.credit || (a.credit === b.credit && !a.isServed && b.isServed);
}
