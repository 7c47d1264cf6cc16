// Ports for the servers of tests, from the same blocks as the ports of bin/start, so tests and starts that run side by side never
// share a port.

interface Ports {
  freePort(): Promise<number>;
}

/**
 * A port that nothing listens on, and that no other test is given. The module is plain JavaScript, which the type check of the tests leaves
 * out; it is loaded here, for a file that awaits before it is loaded would be another module to mocha's hooks (scriptKeys.ts) than to tests.
 */
export async function freePort(): Promise<number> {
  const ports: Ports = await import(`../../tools/start/${'ports'}.mjs`);
  return ports.freePort();
}
