// A script call as a command of ioredis that makes its text in one piece. Commands make theirs argument by argument, six
// pieces each, and look at each argument three times before: for a call with 200 arguments that costs more than all else.
import { Command } from 'ioredis';

type Argument = string | number | Buffer;

export class ScriptCall extends Command {
  readonly #script: string;
  readonly #keys: readonly string[];
  readonly #args: readonly Argument[];

  /** @param script its digest or its text, as the command wants it */
  constructor(command: 'evalsha' | 'eval', script: string, keys: readonly string[], args: readonly Argument[]) {
    // In a cluster the first key says where the call goes.
    const [first] = keys;
    super(command, first === undefined ? ['', 0] : ['', 1, first], { replyEncoding: 'utf8' });
    this.#script = script;
    this.#keys = keys;
    this.#args = args;
  }

  /** What Redis is sent; asked for again when the connection broke. */
  override toWritable(): string | Buffer {
    const parts: (string | Buffer)[] = [];
    let text = `*${3 + this.#keys.length + this.#args.length}\r\n`;
    text += textArgument(this.name) + textArgument(this.#script) + numberArgument(this.#keys.length);
    for (const key of this.#keys) text += textArgument(key);
    for (const value of this.#args) {
      if (typeof value === 'string') text += textArgument(value);
      else if (typeof value === 'number') text += numberArgument(value);
      else {
        parts.push(`${text}$${value.length}\r\n`, value);
        text = '\r\n';
      }
    }
    if (parts.length === 0) return text;
    return Buffer.concat([...parts, text].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }
}

const textArgument = (value: string): string => `$${Buffer.byteLength(value)}\r\n${value}\r\n`;

function numberArgument(value: number): string {
  const text = String(value);
  return `$${text.length}\r\n${text}\r\n`;
}
