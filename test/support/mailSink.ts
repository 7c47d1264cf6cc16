// A real SMTP server that keeps its mails, or a server that accepts connections and never answers.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

export class MailSink {
  readonly url: string;
  /** The fate of a mail that was received whole; undefined = it is acknowledged. */
  answer: ((acknowledge: () => void, mail: Received) => void) | undefined;
  readonly #mails: Received[] = [];
  readonly #underWay = new Set<string>();
  readonly #close: () => Promise<void>;

  private constructor(port: number, close: () => Promise<void>) {
    this.url = `smtp://127.0.0.1:${port}`;
    this.#close = close;
  }

  static async start({ isSilent = false } = {}): Promise<MailSink> {
    const sockets = new Set<Socket>();
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, { envelope, id }, done) {
        text(stream).then((received) => {
          const mail = { to: envelope.rcptTo.map(({ address }) => address), text: received };
          sink.#mails.push(mail);
          sink.#underWay.add(id);
          const acknowledge = (): void => {
            sink.#underWay.delete(id);
            done();
          };
          if (sink.answer === undefined) acknowledge();
          else sink.answer(acknowledge, mail);
        }, done);
      },
      onClose({ id }) {
        sink.#underWay.delete(id);
      },
    });
    const server: Server = isSilent ? createServer((socket) => void sockets.add(socket)) : smtp.server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
    const sink = new MailSink(address.port, async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        if (isSilent) server.close(() => resolve());
        else smtp.close(() => resolve());
      });
    });
    return sink;
  }

  /** Mails that were received and are not acknowledged, whose sender still waits. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Mails to an address, whole, in the order in which they came; with a subject only those. */
  to(address: string, subject?: string): string[] {
    const texts = this.#mails.filter(({ to }) => to.includes(address)).map(({ text }) => text);
    return subject === undefined ? texts : texts.filter((text) => text.includes(`\r\nSubject: ${subject}\r\n`));
  }

  stop(): Promise<void> {
    return this.#close();
  }
}
