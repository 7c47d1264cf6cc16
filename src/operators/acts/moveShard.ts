// `bin/admin shards move`: gives a shard to a pod of the operator's choice, or back to the ranking. Every pod reads the record with its
// next heartbeat; the owner then hands the shard over in order, as it does to a pod that joins.
import { nodeOf, type PodStatus } from '../../actors/core/messages/podStatus.ts';
import { raiseRedisPins, readMongoPins, replaceMongoPins } from '../../shared/deployment/shardPinsRecord.ts';
import { readPins, withPin } from '../../shared/domain/shards.ts';
import { publish } from '../../shared/redis/channels.ts';
import { podKeys, shardKeys } from '../../shared/redis/keys.ts';
import { writeOperatorRow } from './operatorAct.ts';
import { type AdminCommand, type OperatorParts, Refused, UsageError } from './operatorParts.ts';
import { livePods } from './shards.ts';

/** How long the move is watched, ms: the hand-over begins with the next heartbeats. */
const WATCHED_MS_MAX = 15_000;
const LOOK_EVERY_MS = 100;
/** Whose acts these are in the audit log: no user's. */
const DEPLOYMENT = 'deployment';

export const moveShard: AdminCommand = {
  name: 'shards move',
  takes: 'SHARD POD | SHARD --back',
  does: 'gives a shard to the pod with that NODE_ID as long as it runs, or back to where the ranking has it',
  async run(args, parts) {
    const { redis, billing } = parts;
    const { shard, node } = readWords(args, billing.config.SHARDS);
    const pods = await livePods(redis, billing.config.LEASE_TTL_MS);
    if (node !== undefined) requirePod(node, pods);
    await record(parts, shard, node);
    // The owner need not wait for its next beat.
    await publish(redis, podKeys.wakeup, 'operator');
    const what = node === undefined ? `Shard ${shard} goes by the ranking again.` : `Shard ${shard} is given to ${node}.`;
    const arrival = node === undefined ? undefined : await arrivalOf(parts, shard, node);
    const isThere = arrival === 'there';
    return {
      data: { shard, moved_to: node ?? null, is_there: node === undefined ? null : isThere },
      lines: [what, ...(isThere ? [`${node} has it.`] : []), ...(node !== undefined && !isThere ? [notYet(node, arrival)] : [])],
    };
  },
};

function readWords(args: readonly string[], shards: number): { shard: number; node: string | undefined } {
  const [word = '', node] = args;
  if (args.length !== 2 || node === undefined) throw new UsageError('shards move takes a shard, and a pod or --back.');
  const shard = Number(word);
  const isShard = /^\d+$/.test(word) && shard < shards;
  if (!isShard) throw new UsageError(`There is no shard "${word}": they are 0 to ${shards - 1}.`);
  if (node.startsWith('-') && node !== '--back') throw new UsageError(`shards move knows no ${node}.`);
  return { shard, node: node === '--back' ? undefined : node };
}

/** @throws {Refused} when no pod of that name could have it */
function requirePod(node: string, pods: readonly PodStatus[]): void {
  const named = pods.filter(({ podId }) => nodeOf(podId) === node);
  const names = [...new Set(pods.map(({ podId }) => nodeOf(podId)))].sort().join(', ') || 'none';
  if (named.length === 0) throw new Refused(`No pod has the name ${node}. Those that run: ${names}.`);
}

/**
 * MongoDB first: what ends in between is made whole by the next pod that starts. The next number is beyond that of both copies: a MongoDB
 * that was set back to a backup has the older one, and pods would not hear of the move.
 */
async function record({ redis, mongo, billing }: OperatorParts, shard: number, node: string | undefined): Promise<void> {
  const stored = await readMongoPins(mongo);
  const copy = readPins((await redis.get(podKeys.pins)) ?? '') ?? stored;
  const before = copy.number > stored.number ? copy : stored;
  const has = before.pins.find((pin) => pin.shard === shard)?.node;
  if (node === undefined && has === undefined) throw new Refused(`Shard ${shard} is not moved.`);
  const after = withPin(before, { shard, atMs: billing.now(), ...(node !== undefined && { node }) });
  if (!(await replaceMongoPins(mongo, after, stored)))
    throw new Refused('Another operator has moved a shard at this moment: look, and try again.');
  await raiseRedisPins(redis, after);
  const detail = node === undefined ? `${shard} back from ${has}` : `${shard} to ${node}`;
  await writeOperatorRow(billing, { userId: DEPLOYMENT, action: 'shard.moved', outcome: 'ok', detail });
}

type Arrival = 'there' | 'late' | 'gone';

/** Waits until a pod of that name has the lease, none of that name lives any more, or it has taken too long. */
async function arrivalOf({ redis, billing }: OperatorParts, shard: number, node: string): Promise<Arrival> {
  const until = performance.now() + WATCHED_MS_MAX;
  for (;;) {
    const [, podId = ''] = ((await redis.get(shardKeys.lease(shard))) ?? '').split(':');
    const pods = await livePods(redis, billing.config.LEASE_TTL_MS);
    if (!pods.some((pod) => nodeOf(pod.podId) === node)) return 'gone';
    if (nodeOf(podId) === node) return 'there';
    if (performance.now() >= until) return 'late';
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const notYet = (node: string, arrival: Arrival | undefined): string =>
  arrival === 'gone'
    ? `${node} has ended or is silent: the shard goes by the ranking until it comes.`
    : `${node} does not have it yet: bin/admin shards shows when.`;
