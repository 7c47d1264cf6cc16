// Assigns an account to one shard for the life of a deployment, so that every role finds the account's streams
// without asking.

/**
 * The shard of an account: 32-bit FNV-1a of its id, modulo the number of shards.
 * @param accountId the account's 0x address, lower case
 * @param shards number of shards of the deployment, fixed for its life
 */
export function shardOf(accountId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < accountId.length; i++) {
    hash ^= accountId.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % shards;
}
