// The time as components show it: once a second, by the server's clock. A hidden page does not tick.
import { signal } from '@preact/signals';
import { serverNow } from '../api/answer.ts';

/** The server's time, ms since the epoch, at the latest whole tick. */
export const nowMs = signal(serverNow());

setInterval(() => {
  if (!document.hidden) nowMs.value = serverNow();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  nowMs.value = serverNow();
});
