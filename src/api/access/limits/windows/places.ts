// Where windows stand on a cluster. One script call counts a request in all its windows or in none, so they share a slot; and
// those of all callers are spread over slots, because one would make one node serve every request of the deployment.
import { shardOf } from '../../../../shared/domain/shards.ts';
import type { Charge } from '../charge.ts';

/** Few enough that a turn of the event loop is a handful of calls, and enough for the nodes of a cluster to share. */
const PLACES = 16;

export const placeOf = ({ subject, weightOf, beside }: Charge): number => shardOf(beside ?? weightOf ?? subject, PLACES);

/** Requests whose windows stand at one place. */
export function byPlace<Request extends { readonly charges: readonly Charge[] }>(all: Iterable<Request>): Iterable<Request[]> {
  const places = new Map<number, Request[]>();
  for (const request of all) {
    const [first] = request.charges;
    const place = first === undefined ? 0 : placeOf(first);
    const there = places.get(place);
    if (there === undefined) places.set(place, [request]);
    else there.push(request);
  }
  return places.values();
}
