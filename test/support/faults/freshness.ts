// The judge of reads of one account: none may be older than what was known when it was asked for. A client knows the state of its
// earlier answers: of an acknowledgement, or of a read on any node. Entries that Redis has lost are known no more.

/** The state that an answer shows: the account's newest entry, and the newest round of the writer where the answer has it. */
export interface Shown {
  readonly seq: number;
  readonly round?: number;
}

export class Freshness {
  readonly violations: string[] = [];
  /** Answers that were judged. */
  judged = 0;
  #known: Required<Shown> = { seq: 0, round: 0 };
  /** Newest round by entry, as answers have shown them. */
  readonly #rounds = new Map<number, number>();
  /** Between losses; undefined while Redis is losing something. */
  #life: number | undefined = 0;
  #lives = 0;

  /** @param ask answers undefined when nothing was shown */
  async judge(name: string, ask: () => Promise<Shown | undefined>): Promise<void> {
    const [life, known] = [this.#life, this.#known];
    const shown = await ask();
    if (shown === undefined || life === undefined || life !== this.#life) return;
    this.judged += 1;
    const { seq, round = known.round } = shown;
    if (seq < known.seq || round < known.round) {
      this.violations.push(`${name} was shown entry ${seq}, round ${round}, when ${JSON.stringify(known)} was known`);
    }
    if (shown.round !== undefined) this.#rounds.set(seq, shown.round);
    this.#learn({ seq, round });
  }

  /** @param act resolves with true when the round has been acknowledged */
  async acknowledge(round: number, act: () => Promise<boolean>): Promise<void> {
    const life = this.#life;
    if ((await act()) && life !== undefined && life === this.#life) this.#learn({ seq: 0, round });
  }

  /** From here until `forget` answers prove nothing. */
  suspend(): void {
    this.#life = undefined;
  }

  /** Redis goes on from here. @param seq the account's newest entry that it still has */
  forget(seq: number): void {
    const rounds = [...this.#rounds].flatMap(([at, round]) => (at <= seq ? [round] : []));
    this.#known = { seq, round: Math.max(0, ...rounds) };
    for (const at of this.#rounds.keys()) if (at > seq) this.#rounds.delete(at);
    this.#life = ++this.#lives;
  }

  #learn({ seq, round }: Required<Shown>): void {
    this.#known = { seq: Math.max(this.#known.seq, seq), round: Math.max(this.#known.round, round) };
  }
}
