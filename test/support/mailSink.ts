// A real SMTP server that keeps its mails, or one that accepts connections and never answers.
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
  readonly #mails: readonly Received[];
  readonly #close: () => Promise<void>;

  private constructor(parts: { port: number; mails: readonly Received[] }, close: () => Promise<void>) {
    this.url = `smtp://127.0.0.1:${parts.port}`;
    this.#mails = parts.mails;
    this.#close = close;
  }

  static async start({ isSilent = false } = {}): Promise<MailSink> {
    const mails: Received[] = [];
    const sockets = new Set<Socket>();
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, { envelope }, done) {
        text(stream).then((received) => {
          mails.push({ to: envelope.rcptTo.map(({ address }) => address), text: received });
          done();
        }, done);
      },
    });
    const server: Server = isSilent ? createServer((socket) => void sockets.add(socket)) : smtp.server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
    return new MailSink({ port: address.port, mails }, async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        if (isSilent) server.close(() => resolve());
        else smtp.close(() => resolve());
      });
    });
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
