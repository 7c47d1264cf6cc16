// Which pod should own which shard: rendezvous hashing, so that every pod comes to the same answer from the same list and
// a pod that joins or leaves moves no shard but its own share.

/** Pod ids, the one that should own the shard first. */
export function rankPods(shard: number, podIds: readonly string[]): string[] {
  return podIds
    .map((podId) => ({ podId, weight: weightOf(`${podId}/${shard}`) }))
    .sort((a, b) => b.weight - a.weight || (a.podId < b.podId ? -1 : 1))
    .map(({ podId }) => podId);
}

/** 32-bit FNV-1a with the finaliser of MurmurHash3: FNV alone hardly changes its high bits with the last character. */
function weightOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
