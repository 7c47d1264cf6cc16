// A script call as a command of ioredis that makes its text in one piece. Commands make theirs argument by argument, six
// pieces each, and look at each argument three times before: for a call with 200 arguments that costs more than all else.
import { Command } from 'ioredis';

type Argument = string | number | Buffer;

export class ScriptCall extends Command {
  readonly #script: string;
  readonly #keys: readonly string[];
  readonly #args: readonly Argument[];
  /** The connection that it was sent on last: its answer came on this one. */
  carrier: object | undefined;

  /** @param script its digest or its text, as the command wants it */
  constructor(command: 'evalsha' | 'eval', script: string, keys: readonly string[], args: readonly Argument[]) {
    // In a cluster the first key says where the call goes.
    const [first] = keys;
    super(command, first === undefined ? ['', 0] : ['', 1, first], { replyEncoding: 'utf8' });
    this.#script = script;
    this.#keys = keys;
    this.#args = args;
  }

  /** Makes the arguments for Redis; called again when the connection broke. */
  override toWritable(socket: object): string | Buffer {
    this.carrier = socket;
    const parts: (string | Buffer)[] = [];
    let text = `*${3 + this.#keys.length + this.#args.length}`;
    const add = (value: string): void => {
      text += headOf(Buffer.byteLength(value));
      text += value;
    };
    add(this.name);
    add(this.#script);
    add(String(this.#keys.length));
    for (const key of this.#keys) add(key);
    for (const value of this.#args) {
      if (typeof value === 'string') add(value);
      else if (typeof value === 'number') add(String(value));
      else {
        parts.push(text + headOf(value.length), value);
        text = '';
      }
    }
    text += '\r\n';
    if (parts.length === 0) return text;
    return Buffer.concat([...parts, text].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }
}

/** Between two arguments: the end of one, and the length of the next. Those of short ones are made once. */
const headOf = (bytes: number): string => SHORT_HEADS[bytes] ?? `\r\n$${bytes}\r\n`;

const SHORT_HEADS: readonly string[] = Array.from({ length: 100 }, (_, bytes) => `\r\n$${bytes}\r\n`);

/** A key in the slot of the given one that is never written. */
export function missingKeyBeside(key: string): string {
  const [tag = `{${key}}`] = /\{[^}]+\}/.exec(key) ?? [];
  return `${tag}:missing`;
}

const extended = new WeakSet<Command>();

/** On a cluster: a library's script call gets the key more that ours have (script.ts). Its script has it behind its own keys. */
export function addMissingKey(command: Command): void {
  if ((command.name !== 'evalsha' && command.name !== 'eval') || command instanceof ScriptCall || extended.has(command)) return;
  const keys = Number(command.args[1]);
  if (!(keys > 0)) return;
  extended.add(command);
  command.args[1] = String(keys + 1);
  command.args.splice(2 + keys, 0, missingKeyBeside(String(command.args[2])));
}
