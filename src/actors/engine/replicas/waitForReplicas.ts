// Whether replicas have what a script call has written. WAIT speaks of what was written on the connection that it comes on: it has to
// follow the call there. What it says on another one, after a break or by another master, says nothing of the call.
import { Command } from 'ioredis';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { ScriptCall } from '../../../shared/redis/scriptCall.ts';

class WaitCall extends Command {
  readonly #after: ScriptCall;
  carrier: object | undefined;

  constructor(after: ScriptCall, { replicas, withinMs }: { replicas: number; withinMs: number }) {
    super('wait', [replicas, withinMs]);
    this.#after = after;
  }

  /** On a cluster it goes to the node of the call's keys. */
  override getSlot(): number {
    return this.#after.getSlot();
  }

  override toWritable(socket: object): string | Buffer {
    this.carrier = socket;
    return super.toWritable(socket);
  }
}

/**
 * @param options.after a call that was answered
 * @returns false when fewer replicas have said so in time, or the connection has changed since the call
 * @throws ReplyError, or the connection's error
 */
export async function haveReplicas(
  redis: Redis,
  options: { after: ScriptCall; replicas: number; withinMs: number },
): Promise<boolean> {
  const { after, replicas } = options;
  const wait = new WaitCall(after, options);
  const confirmed = Number(await redis.sendCommand(wait));
  return confirmed >= replicas && wait.carrier !== undefined && wait.carrier === after.carrier;
}
