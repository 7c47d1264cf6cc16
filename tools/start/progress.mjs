// The lines that a start shows while it works, because a first start takes minutes: the step and the number of steps, the work of
// the step, and its time so far. The text is made here and printed by say.mjs: on a terminal one line with a bar that changes,
// elsewhere one line per step and per thing that is installed or fetched.

const BAR_CELLS = 20;

export class Progress {
  #steps;
  #beganAtMs;
  #at = -1;
  #doing = '';

  /**
   * @param {readonly string[]} steps all of them, in their order
   * @param {number} nowMs
   */
  constructor(steps, nowMs) {
    this.#steps = steps;
    this.#beganAtMs = nowMs;
  }

  /**
   * The next step begins, and those before it are done.
   * @param {string} name a step that comes after the step of now
   * @throws {Error} when it is not
   */
  step(name) {
    const at = this.#steps.indexOf(name);
    if (at <= this.#at) throw new Error(`No step "${name}" comes after "${this.#steps[this.#at] ?? 'the beginning'}".`);
    this.#at = at;
    this.#doing = '';
  }

  /** @param {string} what a part of the step, such as a download */
  doing(what) {
    this.#doing = what;
  }

  /**
   * For a terminal. The bar shows the steps that are done.
   * @param {number} nowMs
   * @param {number} columns what does not fit is cut, for a line that wraps cannot be overwritten
   * @returns {string}
   */
  bar(nowMs, columns) {
    const full = Math.floor((Math.max(this.#at, 0) / this.#steps.length) * BAR_CELLS);
    const what = [this.#steps[this.#at], this.#doing].filter(Boolean).join(': ');
    const cells = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    const line = `${cells} ${this.#count()} ${this.#elapsed(nowMs)}  ${what}`;
    return line.length < columns ? line : `${line.slice(0, Math.max(columns - 2, 0))}…`;
  }

  /**
   * For what is no terminal: the step, or what it does now.
   * @param {number} nowMs
   * @returns {string}
   */
  line(nowMs) {
    const what = this.#doing === '' ? `${this.#count()} ${this.#steps[this.#at] ?? ''}` : `    ${this.#doing}`;
    return `${this.#elapsed(nowMs)}  ${what}`;
  }

  #count() {
    return `${this.#at + 1}/${this.#steps.length}`;
  }

  /** @param {number} nowMs */
  #elapsed(nowMs) {
    return `${Math.max(Math.floor((nowMs - this.#beganAtMs) / 1000), 0)} s`.padStart(5);
  }
}
