// Who may read when. A node does a bounded number of reads at once, so that they do not take its time from trading. The
// users who wait get their turns one after the other, whatever each of them has asked for. When all places are taken, the
// user who has most of them gives one to a user who has fewer.
import { RequestError } from '../../../shared/errors.ts';

export interface TurnLimits {
  /** Reads at once on this node, and of one user. */
  readonly atOnce: number;
  readonly atOnceOfUser: number;
  /** Reads that wait, and those of one user. */
  readonly waiting: number;
  readonly waitingOfUser: number;
}

/** A read that waits for its turn. */
interface Place {
  begin(): void;
  refuse(error: RequestError): void;
}

interface UserReads {
  running: number;
  readonly waiting: Place[];
}

export class ReadingTurns {
  readonly #limits: TurnLimits;
  /** Users who read or wait; the next turn is of the first who may. */
  readonly #users = new Map<string, UserReads>();
  #running = 0;
  #waiting = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** @throws {RequestError} 429 when the user has too many reads here, 503 when all users have; and whatever `read` throws */
  async run<Answer>(userId: string, read: () => Promise<Answer>): Promise<Answer> {
    const user = this.#users.get(userId) ?? { running: 0, waiting: [] };
    this.#users.set(userId, user);
    if (this.#mayRun(user)) this.#begin(user);
    else await this.#turn(userId, user);
    try {
      return await read();
    } finally {
      user.running -= 1;
      this.#running -= 1;
      this.#forget(userId, user);
      this.#next();
    }
  }

  async #turn(userId: string, user: UserReads): Promise<void> {
    const { waiting, waitingOfUser } = this.#limits;
    if (user.waiting.length >= waitingOfUser) throw tooMany();
    if (this.#waiting >= waiting && !this.#takePlaceFor(user)) {
      this.#forget(userId, user);
      throw new RequestError(503, 'busy', 'Too many such requests are made at the moment.', { 'Retry-After': '5' });
    }
    this.#waiting += 1;
    await new Promise<void>((begin, refuse) => user.waiting.push({ begin, refuse }));
  }

  /** Refuses the newest read of the user who has most, if that one has more than the other would have. */
  #takePlaceFor(user: UserReads): boolean {
    let most = user;
    for (const other of this.#users.values()) if (other.waiting.length > most.waiting.length) most = other;
    if (most.waiting.length <= user.waiting.length + 1) return false;
    most.waiting.pop()?.refuse(tooMany());
    this.#waiting -= 1;
    return true;
  }

  #mayRun(user: UserReads): boolean {
    return this.#running < this.#limits.atOnce && user.running < this.#limits.atOnceOfUser && user.waiting.length === 0;
  }

  #begin(user: UserReads): void {
    user.running += 1;
    this.#running += 1;
  }

  /** The first user who waits and may read goes to the end of the row. */
  #next(): void {
    if (this.#running >= this.#limits.atOnce) return;
    for (const [userId, user] of this.#users) {
      if (user.running >= this.#limits.atOnceOfUser) continue;
      const next = user.waiting.shift();
      if (next === undefined) continue;
      this.#users.delete(userId);
      this.#users.set(userId, user);
      this.#waiting -= 1;
      this.#begin(user);
      next.begin();
      return;
    }
  }

  #forget(userId: string, { running, waiting }: UserReads): void {
    if (running === 0 && waiting.length === 0) this.#users.delete(userId);
  }
}

const tooMany = (): RequestError =>
  new RequestError(429, 'too_many_reads', 'You have too many such requests under way. Wait for their answers.', {
    'Retry-After': '2',
  });

/** When operators may look and act: they have no more of a node than others. */
export interface OperatorTurns {
  readonly looks: ReadingTurns;
  readonly acts: ReadingTurns;
}

/** An answer is 500 rows at most, and the letters of a page 1 MB and what one read of them adds. */
const OPERATOR_LOOKS = { atOnce: 2, atOnceOfUser: 1, waiting: 32, waitingOfUser: 8 };
/** Some wait half a minute for an account's owner, each with a connection to Redis of its own. */
const OPERATOR_ACTS = { atOnce: 4, atOnceOfUser: 2, waiting: 16, waitingOfUser: 4 };

export const operatorTurns = (): OperatorTurns => ({
  looks: new ReadingTurns(OPERATOR_LOOKS),
  acts: new ReadingTurns(OPERATOR_ACTS),
});
