// A message as bytes: made once, whoever hears it.

/** @param more fields beside `channel` and `data`, which stock clients do not look at */
export const toMessage = (channel: string, data: unknown, more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ channel, data, ...more }));
