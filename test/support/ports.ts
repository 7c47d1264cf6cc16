// Ports for the servers of tests: of the same blocks as those of bin/start, so tests and starts that run side by side meet no others'.

/** Plain JavaScript, which the type check of the tests leaves out. */
const ports: { freePort(): Promise<number> } = await import(`../../tools/start/${'ports'}.mjs`);

/** A port that nothing listens on, and that no other test is given. */
export const freePort = (): Promise<number> => ports.freePort();
