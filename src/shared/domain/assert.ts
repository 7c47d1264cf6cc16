// How code states what must hold: a broken invariant is our own bug and is thrown, and a switch over a union names
// every case.

/**
 * States an invariant. A broken one is our own bug, never the client's: it is logged as fatal and never shown.
 * @throws Error with `why` when `condition` is falsy
 */
export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${why}`);
}

/** Closes a switch over a union: the compiler refuses it when a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`Broken invariant: unexpected ${JSON.stringify(value)}`);
}
