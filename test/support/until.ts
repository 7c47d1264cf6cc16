// Waiting in tests is for a condition, never for a time. There is one limit for every wait: it ends a test that hangs and says
// what it waited for, and no machine is so slow that it reaches it otherwise.

/** Of a page in a browser, too. */
export const WITHIN_MS = 200_000;
/** The next look comes after a tenth of the time waited so far, within these bounds: a long wait needs few looks. */
const LOOK_EVERY_MS_MIN = 5;
const LOOK_EVERY_MS_MAX = 100;

/** Resolves when the condition holds. @throws Error when it never does */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > WITHIN_MS) throw new Error(`waited ${WITHIN_MS} ms in vain for: ${String(holds)}`);
    const pauseMs = Math.min(Math.max(waitedMs / 10, LOOK_EVERY_MS_MIN), LOOK_EVERY_MS_MAX);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
