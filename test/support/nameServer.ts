// A name server over UDP for tests of names that lead somewhere else at each question: it answers questions for addresses by what the
// test says, and all others with nothing.
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const [A, AAAA] = [1, 28];

export class NameServer {
  /** Names in the order in which their IPv4 addresses were asked for. */
  readonly asked: string[] = [];
  readonly #socket: Socket;

  private constructor(addressesOf: (name: string) => readonly string[]) {
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (question, from) => {
      const { name, type, end } = readQuestion(question);
      if (type === A) this.asked.push(name);
      const addresses = type === A || type === AAAA ? addressesOf(name).filter((one) => isIPv6(one) === (type === AAAA)) : [];
      const head = Buffer.alloc(12);
      question.copy(head, 0, 0, 2);
      head.writeUInt16BE(0x8180, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(addresses.length, 6);
      const records = addresses.map((address) => {
        const bytes = type === A ? address.split('.').map(Number) : bytesOf(address);
        return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
      });
      this.#socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address);
    });
  }

  static async start(addressesOf: (name: string) => readonly string[]): Promise<NameServer> {
    const server = new NameServer(addressesOf);
    await new Promise<void>((resolve) => server.#socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }
}

/** Of an IPv6 address without an IPv4 one in it. */
function bytesOf(address: string): number[] {
  const [head = [], tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return [...groups].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}
