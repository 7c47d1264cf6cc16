// How the venue is heard about the address of a mirror, as the node that follows it last wrote: so each node can tell. It holds only while the
// lease is still of the term in which it was written: what a node that died, or lost the lease, has left says nothing any more.
import { DAY_MS } from '../../shared/domain/units.ts';
import { marketKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';

/** How long it is remembered when the venue was last heard. */
const TTL_MS = DAY_MS;

export interface Hearing {
  /** Since when the connection is open, ms; null = it is not. */
  readonly connectedSinceMs: number | null;
  /** When the venue last said anything on it, pongs included, ms; null = never. */
  readonly heardMs: number | null;
  /** What was missed before the connection opened has been made up for. */
  readonly isCaughtUp: boolean;
}

export const UNHEARD: Hearing = { connectedSinceMs: null, heardMs: null, isCaughtUp: false };

type Written = Hearing & { readonly term: number };

/** @param id of the mirror */
export async function writeHearing(redis: Redis, id: string, written: Written): Promise<void> {
  await redis.set(marketKeys.mirrorHearing(id), JSON.stringify(written), 'PX', TTL_MS);
}

export async function readHearing(redis: Redis, id: string): Promise<Hearing> {
  const [holder, term, text] = await redis.mget(marketKeys.mirrorLease, marketKeys.mirrorTerm, marketKeys.mirrorHearing(id));
  if (typeof text !== 'string') return UNHEARD;
  const { term: writtenIn, ...hearing } = JSON.parse(text) as Written;
  const isOfLeader = typeof holder === 'string' && Number(term) === writtenIn;
  return isOfLeader ? hearing : { ...UNHEARD, heardMs: hearing.heardMs };
}
