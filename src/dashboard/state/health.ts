// The condition of the exchange: whether orders are taken, and where its prices come from.
import { signal } from '@preact/signals';
import type { Health } from '../api/contract.ts';
import { get } from '../api/http.ts';

const LOOK_MS = 60_000;

/** undefined until the first answer. */
export const health = signal<Health | undefined>(undefined);

/**
 * Asks now and once a minute while the page is seen. @returns ends it
 */
export function followHealth(): () => void {
  const look = (): void => {
    if (document.hidden && health.peek() !== undefined) return;
    // 503 is an answer here. A look that fails is made up for by the next one.
    get<Health>('/health', { alsoStatus: 503 }).then(
      ({ body }) => {
        health.value = body;
      },
      () => undefined,
    );
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}
