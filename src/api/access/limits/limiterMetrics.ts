// How many requests an API node counted alone, because Redis did not: a limit then holds for each node, not for all together.
import { Counter, type Registry } from 'prom-client';

/** @returns notes so many requests */
export function countLocally(registry: Registry): (requests: number) => void {
  const counter = new Counter({
    name: 'api_limiter_local_total',
    help: 'Requests that this node counted alone, because Redis did not.',
    registers: [registry],
  });
  return (requests) => counter.inc(requests);
}
