// A queue for work that takes much memory: each turn ends before the next one begins.

export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when all earlier turns have ended, with a function that ends this one. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => undefined;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }
}
