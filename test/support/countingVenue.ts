// A venue of REST alone that counts what it is asked, and answers as slowly and as badly as a test wants.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export class CountingVenue {
  /** Bodies, as they came. */
  readonly asked: object[] = [];
  /** Status of the next answers. */
  status = 200;
  headers: Record<string, string> = {};
  /** Answers wait for this. */
  gate: Promise<unknown> = Promise.resolve();
  /** The answer to a body. */
  answer: (body: object) => unknown = () => [];
  readonly #server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const body = JSON.parse(text) as object;
      this.asked.push(body);
      void this.gate.then(() => {
        response.writeHead(this.status, { 'content-type': 'application/json', ...this.headers });
        response.end(JSON.stringify(this.answer(body)));
      });
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
