// Taps the sockets between foreign clients and an API node. Like our own client, it checks every message against the
// published contract, answers against their requests, and errors for secrets.
import { Posts } from './posts.ts';
import { requireNoSecretsIn } from './secrets.ts';
import { requireStreamContract, type StreamMessage } from './streamContract.ts';
import { type Hearing, TcpProxy } from './tcpProxy.ts';

const HEAD_END = '\r\n\r\n';
/** First byte of a whole text frame. The server sends no parts of frames, nor do the clients. */
const TEXT = 0x81;
const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

export class StreamTap {
  readonly #proxy: TcpProxy;
  readonly #faults: unknown[];

  private constructor(proxy: TcpProxy, faults: unknown[]) {
    this.#proxy = proxy;
    this.#faults = faults;
  }

  static async start(targetPort: number): Promise<StreamTap> {
    const faults: unknown[] = [];
    return new StreamTap(await TcpProxy.start(targetPort, () => hearing((fault) => faults.push(fault))), faults);
  }

  /** Where clients connect to. */
  get url(): string {
    return `http://127.0.0.1:${this.#proxy.port}`;
  }

  /** @throws the first fault in the messages to the clients */
  async close(): Promise<void> {
    await this.#proxy.close();
    if (this.#faults.length > 0) throw this.#faults[0];
  }
}

function hearing(onFault: (fault: unknown) => void): Hearing {
  const posts = new Posts();
  return {
    onClient: reading('GET ', (text) => posts.onSent(text)),
    onServer: reading('HTTP/1.1 101', (text) => {
      try {
        const message: StreamMessage = JSON.parse(text);
        requireStreamContract(message);
        requireNoSecretsIn(message);
        posts.requireAnswer(message);
      } catch (error) {
        onFault(error);
      }
    }),
  };
}

/**
 * Reads the texts of one direction, once the connection has become a socket.
 * @param head how what comes before the first frame begins
 */
function reading(head: string, onText: (text: string) => void): (chunk: Buffer) => void {
  let isSocket = false;
  let unread = Buffer.alloc(0);
  return (chunk) => {
    const isHead = !isSocket && chunk.toString('latin1', 0, head.length) === head && isUpgrade(chunk);
    if (!isSocket && !isHead) return;
    unread = Buffer.concat([unread, isHead ? chunk.subarray(chunk.indexOf(HEAD_END) + HEAD_END.length) : chunk]);
    isSocket = true;
    for (let frame = firstFrame(unread); frame !== undefined; frame = firstFrame(unread)) {
      if (unread[0] === TEXT) onText(textOf(unread.subarray(0, frame.end), frame));
      unread = unread.subarray(frame.end);
    }
  };
}

const isUpgrade = (head: Buffer): boolean => /\r\nupgrade: *websocket\r\n/i.test(head.toString('latin1'));

interface Extent {
  readonly mask: Buffer | undefined;
  readonly start: number;
  readonly end: number;
}

/** Of the first frame; undefined while it is not whole. */
function firstFrame(bytes: Buffer): Extent | undefined {
  const second = bytes[1];
  if (second === undefined) return undefined;
  const short = second & ~MASKED;
  const lengthEnd = short === LENGTH_16 ? 4 : short === LENGTH_64 ? 10 : 2;
  const start = (second & MASKED) === 0 ? lengthEnd : lengthEnd + 4;
  if (bytes.length < start) return undefined;
  const length = short === LENGTH_16 ? bytes.readUInt16BE(2) : short === LENGTH_64 ? Number(bytes.readBigUInt64BE(2)) : short;
  const mask = start === lengthEnd ? undefined : bytes.subarray(lengthEnd, start);
  return bytes.length < start + length ? undefined : { mask, start, end: start + length };
}

function textOf(bytes: Buffer, { mask, start, end }: Extent): string {
  const content = bytes.subarray(start, end);
  return (mask === undefined ? content : content.map((byte, i) => byte ^ (mask[i % 4] as number))).toString();
}
