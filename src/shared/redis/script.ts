// A Lua script that Redis runs as one atomic step. It is sent by its digest; a server that does not know it yet
// (first use, restart) gets the text once. A caller that depends on the order of its calls waits for one before it
// sends the next.
import { createHash } from 'node:crypto';
import { Command } from 'ioredis';

/**
 * The beginning of each text. PUBLISH is the command by which the script publishes. TAG is the beginning of a channel's name, where
 * the channel has to be in the slot of the script's keys.
 */
const ON_SERVER = "local PUBLISH, TAG = 'PUBLISH', '' ";
/**
 * On a cluster each call has one more key, which never exists, and which the script does not see. While a slot moves, a node runs
 * a call as long as it has all its keys, and refuses a key that the script itself has just removed: half of a commit would be
 * written. With a key that is missing, a call is refused as a whole until the slot has arrived.
 */
const ON_CLUSTER = "KEYS[#KEYS] = nil local PUBLISH, TAG = 'SPUBLISH', string.match(KEYS[1], '^{.-}:') ";

/** A connection to Redis (redis.ts), as scripts need it. */
interface Sender {
  readonly isCluster: boolean;
  sendCommand(command: Command): unknown;
}

interface Form {
  readonly text: string;
  readonly digest: string;
}

export class Script {
  /** The name of the script in its errors. */
  readonly name: string;
  readonly #onServer: Form;
  readonly #onCluster: Form;

  /**
   * @param name no other script has it
   * @param text begins with its keys, arguments and answers, and why it has to be atomic. It publishes by
   *   `redis.call(PUBLISH, channel, message)`; on a cluster its keys share a slot
   * @param options.whenFull `runs`: also while Redis has used up its memory. For what frees memory or is needed to get there
   *   (leases, the journal's cut); what it writes must have a bound of its own. Default: Redis refuses it then
   */
  constructor(name: string, text: string, { whenFull = 'refused' }: { whenFull?: 'runs' | 'refused' } = {}) {
    this.name = name;
    const flags = whenFull === 'runs' ? '#!lua flags=allow-oom\n' : '';
    this.#onServer = formOf(flags + ON_SERVER + text);
    this.#onCluster = formOf(flags + ON_CLUSTER + text);
  }

  /**
   * @param onSent is given each call that is sent, of which the last one is answered
   * @throws ReplyError as Redis words it, or the connection's error when the outcome is unknown
   */
  async run(
    redis: Sender,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
    onSent?: (call: ScriptCall) => void,
  ): Promise<unknown> {
    const { digest, text } = redis.isCluster ? this.#onCluster : this.#onServer;
    const sent = redis.isCluster ? [...keys, missingKeyBeside(keys[0] ?? '')] : keys;
    const send = (command: 'evalsha' | 'eval', script: string): Promise<unknown> => {
      const call = new ScriptCall(command, script, sent, args);
      onSent?.(call);
      return redis.sendCommand(call) as Promise<unknown>;
    };
    try {
      return await send('evalsha', digest);
    } catch (error) {
      if (!isReplyError(error) || !error.message.startsWith('NOSCRIPT')) throw this.#named(error, digest);
    }
    return await send('eval', text).catch((error: unknown) => {
      throw this.#named(error, digest);
    });
  }

  /** Redis names a script that has failed by its digest. */
  #named(error: unknown, digest: string): unknown {
    if (isReplyError(error)) error.message = error.message.replace(digest, this.name);
    return error;
  }
}

const formOf = (text: string): Form => ({ text, digest: createHash('sha1').update(text).digest('hex') });

/** True when Redis itself refused. After any other error the outcome of the call is unknown. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * Names the shards whose keys one call may touch, for scripts that take the work of many shards at once. In a cluster one call may touch
 * the shards of one slot; on a single Redis, all shards.
 */
export const scriptLaneOf = ({ isCluster }: Pick<Sender, 'isCluster'>, shard: number): number => (isCluster ? shard : 0);

// Which life of Redis a script runs in. What Redis has answered it still has as long as it lives: only a restart, or a
// replica that takes over, can lose the last moments. So what is known of a shard holds for one life of Redis.

/**
 * A Lua function `redisLife()`: text that changes with every start of the server and every takeover, '' where the server does
 * not tell. A script puts it before its own text.
 */
export const REDIS_LIFE_LUA = `
local function redisLife()
  local server, replication = redis.pcall('INFO', 'server'), redis.pcall('INFO', 'replication')
  if type(server) ~= 'string' or type(replication) ~= 'string' then return '' end
  local run, history = string.match(server, 'run_id:(%x+)'), string.match(replication, 'master_replid:(%x+)')
  if not run or not history then return '' end
  return run .. '.' .. history
end
`;

type Argument = string | number | Buffer;

/**
 * A script call as a command of ioredis that makes its text in one piece. Other commands make their text argument by argument, six
 * pieces each, and look at each argument three times before: for a call with 200 arguments that costs more than all else.
 */
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
