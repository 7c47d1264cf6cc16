// Answers of long reads. Asking twice costs once as long as the account has no new entry: its newest entry is asked for
// first, so a client reads its own writes, and its state by name: where Redis has lost its last moments numbers come again with other
// entries. Marks move without an entry; what they change may be some seconds old.
import type { AccountGateway } from '../accounts/accountGateway.ts';
import { type Call, sendOptionsOf } from '../accounts/services.ts';

/** How old an answer may be, ms. */
const KEPT_MS = 5000;
/** Answers that are kept, some 200 kB at most each. */
const ANSWERS_MAX = 200;

interface Kept {
  /** Number of the account's newest entry, and the name of its state. */
  readonly state: string;
  readonly untilMs: number;
  readonly answer: Promise<unknown>;
}

export class KeptReads {
  readonly #now: () => number;
  /** By account and name, oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * @param name what is read, with all that the answer depends on beside the account
   * @throws as the gateway does, and whatever `read` throws
   */
  async read<Answer>(gateway: AccountGateway, call: Call, name: string, read: () => Promise<Answer>): Promise<Answer> {
    const query = { type: 'query', query: { kind: 'summary' }, stateHash: true } as const;
    const { accountId } = call.caller;
    const outcome = await gateway.send(accountId, query, sendOptionsOf(call));
    const state = outcome.type === 'answer' ? `${outcome.seq} ${outcome.stateHash}` : '';
    const key = `${accountId} ${name}`;
    const known = this.#kept.get(key);
    if (known !== undefined && known.state === state && this.#now() < known.untilMs) return known.answer as Promise<Answer>;
    const answer = read();
    this.#keep(key, { state, untilMs: this.#now() + KEPT_MS, answer });
    return answer;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= ANSWERS_MAX) this.#kept.delete(oldest);
    this.#kept.set(key, kept);
    kept.answer.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
  }
}
