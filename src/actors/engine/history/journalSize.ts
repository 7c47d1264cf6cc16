// How many bytes a shard's journal has in Redis, counted where they are written and cut.

/** Commits are counted together up to so many bytes: a cut is exact to this. */
const PART_BYTES = 256 * 1024;

export class JournalSize {
  readonly #parts: { upTo: number; bytes: number }[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Commits come in the order of their numbers. @param bytes of the entries' text */
  add(commit: number, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes += bytes;
    const last = this.#parts.at(-1);
    if (last === undefined || last.bytes >= PART_BYTES) this.#parts.push({ upTo: commit, bytes });
    else {
      last.upTo = commit;
      last.bytes += bytes;
    }
  }

  /** The journal has no entry up to this commit any more. */
  cut(commit: number): void {
    const kept = this.#parts.findIndex(({ upTo }) => upTo > commit);
    for (const { bytes } of this.#parts.splice(0, kept === -1 ? this.#parts.length : kept)) this.#bytes -= bytes;
  }
}
