// Several requests may change a document at once. Each reads the document, decides, and writes on condition that no other has changed it.

/**
 * Makes a change, and makes it again from the start when another was first.
 * @param change gives null or undefined when another was first
 * @param options.busy the error when that has happened `tries` times in a row
 */
export async function compareAndSet<Done>(
  { tries, busy }: { readonly tries: number; readonly busy: () => Error },
  change: () => Promise<Done | null | undefined>,
): Promise<Done> {
  for (let n = 0; n < tries; n++) {
    const done = await change();
    if (done != null) return done;
  }
  throw busy();
}
