// How the rules cache a result: here and nowhere else. A result is kept with the object that it was computed from.
// The object's fields never change, so the result stays right, and both are collected together. It is no part of the
// object's data: equality, JSON, `structuredClone` and `{ ...object }` do not see it, and a copy starts without one.
// A WeakMap would do the same, but each entry makes the garbage collector's work longer: with one for valuations an
// order takes half as long again (docs/performance.md). A private field, added to the object, costs what a property
// costs.

/**
 * `compute` with a memory: asked about the same object again it gives the last result, as long as that still holds.
 * @param compute a function of `input` and of what never changes in the object
 * @param holds true when the last result is right for this `input`, too; without an input it always is
 */
export function rememberFor<Of extends object, Result, Input = void>(
  compute: (object: Of, input: Input) => Result,
  holds: (last: Result, input: Input) => boolean = () => true,
): (object: Of, input: Input) => Result {
  /** Constructing one adds the field to the object: the base class hands it back as `this`. */
  class Remembering extends SameObject {
    #last: Result;

    constructor(object: Of, last: Result) {
      super(object);
      this.#last = last;
    }

    static resultFor(object: Of, input: Input): Result {
      if (!(#last in object)) return new Remembering(object, compute(object, input)).#last;
      const remembering: Remembering = object;
      if (!holds(remembering.#last, input)) remembering.#last = compute(object, input);
      return remembering.#last;
    }
  }
  return Remembering.resultFor;
}

/** `compute` of a plain value with a memory of one: asked again for the value it was asked for last, it computes nothing. */
export function rememberLatest<Input extends number | string, Result>(compute: (input: Input) => Result): typeof compute {
  let latest: { readonly input: Input; readonly result: Result } | undefined;
  return (input) => {
    if (latest?.input !== input) latest = { input, result: compute(input) };
    return latest.result;
  };
}

/** As a base class it makes the object that it is given `this` of the class derived from it. */
const SameObject = function sameObject(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;
