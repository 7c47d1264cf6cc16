// A name server over UDP for tests of names that lead somewhere else at each question: it answers questions for IPv4 addresses by what
// the test says, and all others with nothing.
import { createSocket, type Socket } from 'node:dgram';

const A = 1;

export class NameServer {
  /** Names in the order in which their IPv4 addresses were asked for. */
  readonly asked: string[] = [];
  readonly #socket: Socket;

  private constructor(addressesOf: (name: string) => readonly string[]) {
    this.#socket = createSocket('udp4');
    this.#socket.on('message', (question, from) => {
      const { name, type, end } = readQuestion(question);
      if (type === A) this.asked.push(name);
      const addresses = type === A ? addressesOf(name) : [];
      const head = Buffer.alloc(12);
      question.copy(head, 0, 0, 2);
      head.writeUInt16BE(0x8180, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(addresses.length, 6);
      const records = addresses.map((address) =>
        Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
      );
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

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}
