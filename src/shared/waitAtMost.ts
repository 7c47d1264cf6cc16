// Waits for work without an error at the end of the time: for a stop that does its best and then goes on.

/** Waits for the work, but no longer than `ms`. Unfinished work goes on by itself. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeUp]).finally(() => clearTimeout(timer));
}
