// The text of a message of the type `test`.

/** @param timestamp ISO 8601 */
export const testBody = (endpoint: string, timestamp: string): string =>
  JSON.stringify({ type: 'test', timestamp, data: { endpoint } });
