// An answer that is JSON text already: what is asked again and again is written once.

/** The JSON text of an answer, `null` where there is none. */
export const toJson = (answer: unknown): string => (answer instanceof JsonText ? answer.text : JSON.stringify(answer ?? null));

export class JsonText<Value> {
  readonly text: string;
  /** Elements of a list; 0 of anything else. */
  readonly rows: number;
  /** Only says what the text is of. */
  declare readonly value?: Value;

  private constructor(text: string, rows: number) {
    this.text = text;
    this.rows = rows;
  }

  static of<Value>(value: Value): JsonText<Value> {
    return new JsonText<Value>(JSON.stringify(value), Array.isArray(value) ? value.length : 0);
  }

  /** The text of an object with one field more, at the end. */
  with<Name extends string>(name: Name, number: number): JsonText<Value & { readonly [Field in Name]: number }> {
    return new JsonText(`${this.text.slice(0, -1)},"${name}":${number}}`, 0);
  }

  /** Inside of another answer it is a value like any other. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
