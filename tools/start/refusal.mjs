// The two ways in which a start ends without being broken: something that a person has to change first, said in one
// sentence; and Ctrl-C.

/** Its message is one sentence that says what is wrong and what to do. */
export class Refusal extends Error {}

export class Interrupted extends Error {
  constructor() {
    super('Stopped before it was ready.');
  }
}
