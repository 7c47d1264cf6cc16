// A thing that the tests of several files share, because a start takes longer than most tests. It begins with the first file that
// uses it and ends with the last one.

export class Shared<Part extends { stop(): Promise<void> }> {
  readonly #start: () => Promise<Part>;
  #starting: Promise<Part> | undefined;
  #users = 0;

  constructor(start: () => Promise<Part>) {
    this.#start = start;
    after(() => this.#stop()); // a run of some tests alone never reaches its last user
  }

  /** To be called in a `describe`. @param begin is given it before the first test there */
  use(begin: (part: Part) => void): void {
    this.#users += 1;
    before(async () => {
      this.#starting ??= this.#start();
      begin(await this.#starting);
    });
    after(async () => {
      this.#users -= 1;
      if (this.#users === 0) await this.#stop();
    });
  }

  async #stop(): Promise<void> {
    const stopping = this.#starting;
    this.#starting = undefined;
    await (await stopping)?.stop();
  }
}
