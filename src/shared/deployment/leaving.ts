// A process that is asked to leave (SIGUSR2) gives what it owns to others before it is stopped, and runs on until then. Only who may send
// it signals can ask: `dist/leave.js` in its own container. /ready tells how far it has come.
import type { Logger } from '../logger.ts';
import type { Role } from './role.ts';

type Leaver = Pick<Role, 'leave'>;

export class Leaving {
  readonly #log: Logger;
  readonly #roles: Leaver[] = [];
  #isAsked = false;
  #underWay = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Absent while the process stays. */
  get state(): 'underWay' | 'done' | undefined {
    if (!this.#isAsked) return undefined;
    return this.#underWay > 0 ? 'underWay' : 'done';
  }

  /** A role that has started; in a process that leaves already it leaves at once. */
  add(role: Leaver): void {
    this.#roles.push(role);
    if (this.#isAsked) this.#leave(role);
  }

  /** Asked again, nothing changes. */
  ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#log.info('leaving: other processes get what this one owns');
    for (const role of this.#roles) this.#leave(role);
  }

  #leave(role: Leaver): void {
    if (role.leave === undefined) return;
    this.#underWay += 1;
    role.leave().then(
      () => {
        this.#underWay -= 1;
        this.#log.info('left: this process owns nothing any more');
      },
      // It counts as under way: the stop of the process gives back what is left.
      (error: unknown) => this.#log.warn({ err: error }, 'the process has not left in order'),
    );
  }
}
