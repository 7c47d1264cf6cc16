// Searches every error body that a test of a run receives for secrets. It is in the path of `fetch`, and the run
// fails at its end. Logs are searched where they are written (apiNode.ts, stack.ts, startCommand.ts).
import { requireNoSecrets } from './secrets.ts';

const found: unknown[] = [];
const searches = new Set<Promise<void>>();
const realFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await realFetch(input, init);
  if (response.status >= 400) {
    const copy = response.clone();
    const search = copy
      .text()
      .then((text) => requireNoSecrets(text, `An error body (${response.status})`))
      .catch((error: unknown) => {
        // Nobody has received a body that broke off, as bodies of killed processes do.
        if (!(error instanceof TypeError)) found.push(error);
      })
      .finally(() => searches.delete(search));
    searches.add(search);
  }
  return response;
};

/** Mocha calls it once, after all files. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await Promise.all(searches);
    if (found.length > 0) throw found[0];
  },
};
