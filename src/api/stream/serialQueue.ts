// What takes much memory is done one after the other: whoever has the turn ends it before the next one begins.

export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when all who asked before have ended their turn, with a function that ends this one. */
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
