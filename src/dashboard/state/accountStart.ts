// When the account began: it is opened once, and begins anew with each reset, also by a bot, an operator or another tab. What was
// read of it before is no part of it any more, so every page asks again.
import { signal } from '@preact/signals';
import { aboutAccount } from './paths.ts';
import { stream } from './stream.ts';

/** How often an account that is shown here was reset meanwhile. */
export const resets = signal(0);

/** Follows the account's begin. @param onReset called when it is another one, and all that was shown is asked for again @returns ends it */
export function followStart(onReset: () => void): () => void {
  let startMs = 0;
  return stream.subscribe({
    subscription: aboutAccount({ type: 'accountStart', onlyChanges: true }),
    onMessage: ({ data }) => {
      const isAnother = startMs > 0 && data.time !== startMs;
      startMs = data.time;
      if (!isAnother) return;
      resets.value += 1;
      onReset();
    },
  });
}
