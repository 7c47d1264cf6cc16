// Waiting in tests is for a condition, never for a time.

/** It is looked again after a tenth of what has been waited, within these: who waits long need not ask often. */
const LOOK_EVERY_MS_MIN = 5;
const LOOK_EVERY_MS_MAX = 100;

/** Resolves when the condition holds. @throws Error when it does not within `withinMs` */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 200_000): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms in vain for: ${String(holds)}`);
    const pauseMs = Math.min(Math.max(waitedMs / 10, LOOK_EVERY_MS_MIN), LOOK_EVERY_MS_MAX);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
