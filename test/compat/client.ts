// A client as the tests use it, in either language: methods called by name, answers as JSON, and errors by the name
// of their class.

export interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the client makes of ours; the test says what it should be
  call(method: string, ...args: readonly unknown[]): Promise<any>;
  close(): Promise<void>;
}

/** The error that a client raised; in `cause` the error itself, if the client runs in this process. */
export class Raised extends Error {
  /** Class of the client's own error. */
  readonly kind: string;

  constructor(kind: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Raised';
    this.kind = kind;
  }
}

/** @throws Error when the client answers instead */
export async function raisedBy(call: Promise<unknown>): Promise<Raised> {
  const answer = await call.catch((error: unknown) => error);
  if (answer instanceof Raised) return answer;
  throw new Error(`raised nothing, but answered ${JSON.stringify(answer)}`, { cause: answer });
}

/** A client of this process. */
export const inProcess = (methods: object): Client => ({
  call: async (name, ...args) => {
    const method: unknown = Reflect.get(methods, name);
    if (typeof method !== 'function') throw new Error(`the client has no method ${name}`);
    try {
      return await method.apply(methods, args);
    } catch (error) {
      throw error instanceof Error ? new Raised(error.constructor.name, error.message, { cause: error }) : error;
    }
  },
  close: async () => undefined,
});
