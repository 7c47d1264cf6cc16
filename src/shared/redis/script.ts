// A Lua script that Redis runs as one atomic step. It is sent by its digest; a server that does not know it yet
// (first use, restart) gets the text once. A caller that depends on the order of its calls waits for one before it
// sends the next.
import { createHash } from 'node:crypto';
import type { Redis } from './redis.ts';
import { ScriptCall } from './scriptCall.ts';

export class Script {
  readonly #text: string;
  readonly #digest: string;

  /**
   * @param text begins with its keys, arguments and answers, and why it has to be atomic
   * @param options.whenFull `runs`: also while Redis has used up its memory. For what frees memory or is needed to get there
   *   (leases, the journal's cut); what it writes must have a bound of its own. Default: Redis refuses it then
   */
  constructor(text: string, { whenFull = 'refused' }: { whenFull?: 'runs' | 'refused' } = {}) {
    this.#text = whenFull === 'runs' ? `#!lua flags=allow-oom\n${text}` : text;
    this.#digest = createHash('sha1').update(this.#text).digest('hex');
  }

  /** @throws ReplyError as Redis words it, or the connection's error when the outcome is unknown */
  async run(redis: Redis, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await redis.sendCommand(new ScriptCall('evalsha', this.#digest, keys, args));
    } catch (error) {
      if (!isReplyError(error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await redis.sendCommand(new ScriptCall('eval', this.#text, keys, args));
    }
  }
}

/** True when Redis itself refused. After any other error the outcome of the call is unknown. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}
