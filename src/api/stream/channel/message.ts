// Makes a message into the bytes of a whole WebSocket frame, once for all its subscribers. Frames of a server are not
// masked, so the same bytes do for every socket, and each send costs one write.

const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** @param more fields beside `channel` and `data`, which stock clients ignore */
export const toMessage = (channel: string, data: unknown, more: object = {}): Buffer =>
  toFrame(JSON.stringify({ channel, data, ...more }));

/** The same of data that is JSON text already. */
export function textMessage(channel: string, data: string, more: object): Buffer {
  const rest = Object.entries(more).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return toFrame(`{"channel":${JSON.stringify(channel)},"data":${data}${rest.join('')}}`);
}

/** @see https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
export function toFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headLength = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headLength + length);
  frame[0] = FINAL_TEXT;
  if (headLength === 2) frame[1] = length;
  else if (headLength === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headLength);
  return frame;
}
