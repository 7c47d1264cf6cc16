// Waiting in tests is for a condition, never for a time.

const LOOK_EVERY_MS = 5;

/** Resolves when the condition holds. @throws Error when it does not within `withinMs` */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`waited ${withinMs} ms in vain for: ${String(holds)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
