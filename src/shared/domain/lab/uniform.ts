// Numbers that look random and are the same again for the same seed: what is drawn by them can be played again.

/** A number in [0, 1), always the same for the same arguments (the finalizer of MurmurHash3). @param index from 0 on */
export function uniform(seed: number, index: number): number {
  let bits = Math.imul(seed ^ Math.floor(seed / 2 ** 32), 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca77);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
