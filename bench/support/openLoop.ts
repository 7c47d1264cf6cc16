// A load that does not wait for answers: each request is due at its time, and its answer is measured from then, so what waits behind a
// pause is seen in full (no coordinated omission). Many requests may be under way at once.
import { Agent, request } from 'node:http';

/** How often what is due is sent, ms. */
const TICK_MS = 5;

export interface Asked {
  /** The caller, as the index that `send` was given. */
  readonly sender: number;
  /** When it was due, by `performance.now()`. */
  readonly dueMs: number;
  /** From then to the whole answer. */
  readonly tookMs: number;
  /** HTTP status; 0 = the connection ended without an answer. */
  readonly status: number;
  readonly body: string;
}

export class OpenLoop {
  readonly asked: Asked[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1024 });
  readonly #options: { url: string; senders: number; perSecond: number; next: (sender: number) => { key: string; body: string } };
  readonly #underWay = new Set<Promise<void>>();
  readonly #beganMs = performance.now();
  #sent = 0;
  #timer: NodeJS.Timeout;

  /** @param options.perSecond requests of all senders, which take turns @param options.next the next body of one, and its API key */
  constructor(options: {
    url: string;
    senders: number;
    perSecond: number;
    next: (sender: number) => { key: string; body: string };
  }) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sendDue(), TICK_MS);
  }

  /** Resolves when all that was sent is answered. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    this.#agent.destroy();
  }

  #sendDue(): void {
    const { perSecond, senders } = this.#options;
    for (const nowMs = performance.now(); ; this.#sent += 1) {
      const dueMs = this.#beganMs + (this.#sent * 1000) / perSecond;
      if (dueMs > nowMs) return;
      const sending = this.#send(this.#sent % senders, dueMs).finally(() => this.#underWay.delete(sending));
      this.#underWay.add(sending);
    }
  }

  #send(sender: number, dueMs: number): Promise<void> {
    const { url, next } = this.#options;
    const { key, body } = next(sender);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-api-key': key };
    return new Promise((resolve) => {
      const end = (status: number, text: string): void => {
        this.asked.push({ sender, dueMs, tookMs: performance.now() - dueMs, status, body: text });
        resolve();
      };
      const call = request(url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => end(response.statusCode ?? 0, text));
        response.on('error', (error) => end(0, error.message));
      });
      call.on('error', (error) => end(0, error.message));
      call.end(body);
    });
  }
}
