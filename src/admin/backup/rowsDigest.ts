// Tells whether two places have the same rows, in whatever order: a store gives them in another order than the file has them.
// It is a sum of SHA-256 hashes: enough against damage, which is what it is for, in the memory of one number.
import { createHash } from 'node:crypto';

const BITS = 256;

export class RowsDigest {
  #sum = 0n;
  #count = 0;

  /** Rows in it. */
  get count(): number {
    return this.#count;
  }

  add(row: string): void {
    this.#sum = BigInt.asUintN(BITS, this.#sum + numberOf(row));
    this.#count += 1;
  }

  /** Takes a row out that was added. */
  remove(row: string): void {
    this.#sum = BigInt.asUintN(BITS, this.#sum - numberOf(row));
    this.#count -= 1;
  }

  equals(other: RowsDigest): boolean {
    return this.#sum === other.#sum && this.#count === other.#count;
  }
}

const numberOf = (row: string): bigint => BigInt(`0x${createHash('sha256').update(row).digest('hex')}`);
