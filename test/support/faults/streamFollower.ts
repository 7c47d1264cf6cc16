// A client that must not miss anything: it follows the private channels of one account from its first entry on, and
// after every break continues at the next API node from its last number.
import type { TestAccount } from '../stack.ts';
import { StreamClient } from '../streamClient.ts';
import type { StreamMessage } from '../streamContract.ts';

/** Names of the channels in messages by their subscriptions' types. */
const CHANNELS: Readonly<Record<string, string>> = {
  orderUpdates: 'orderUpdates',
  userEvents: 'user',
  userFills: 'userFills',
  userHistoricalOrders: 'userHistoricalOrders',
};
/** Pause after a node that cannot be reached. */
const RETRY_MS = 50;

export class StreamFollower {
  readonly account: TestAccount;
  /** The messages of each channel, in order; of several connections one after the other. */
  readonly told: Readonly<Record<string, StreamMessage[]>> = Object.fromEntries(
    Object.values(CHANNELS).map((channel) => [channel, []]),
  );
  /** Connections that ended by themselves. */
  breaks = 0;
  readonly errors: unknown[] = [];
  readonly #urls: readonly string[];
  #next: number;
  #client: StreamClient | undefined;
  #isStopping = false;
  #done: Promise<void> = Promise.resolve();

  /** @param urls of the API nodes, as they are at each moment; the first one tried is `first` */
  constructor(urls: readonly string[], account: TestAccount, first = 0) {
    this.#urls = urls;
    this.account = account;
    this.#next = first;
  }

  start(): this {
    this.#done = this.#follow();
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#client?.socket.terminate();
    await this.#done;
  }

  async #follow(): Promise<void> {
    while (!this.#isStopping) {
      const url = this.#urls[this.#next % this.#urls.length] ?? '';
      this.#next += 1;
      try {
        const client = await StreamClient.connect(url, { apiKey: this.account.apiKey });
        this.#client = client;
        for (const type of Object.keys(CHANNELS)) {
          client.subscribe({ type, user: this.account.address, fromSeq: this.#fromSeq(type) });
        }
        await this.#hear(client);
        this.breaks += 1;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS)); // the node is away: the next one may be there
      }
    }
  }

  /** Ends with the connection. A refused subscription is noted and tried again by another connection. */
  async #hear(client: StreamClient): Promise<void> {
    for (;;) {
      const message = await client.next().catch(() => undefined);
      if (message === undefined) return;
      if (message.channel === 'error') {
        this.errors.push(message.data);
        client.socket.terminate();
      } else this.told[message.channel]?.push(message);
    }
  }

  /** The last number; of an entry that was cut off in the middle everything is asked for again. */
  #fromSeq(type: string): number {
    const told = this.told[CHANNELS[type] ?? ''] ?? [];
    const last = told.at(-1);
    if (last?.seq === undefined) return 0;
    if (last.more === undefined) return last.seq;
    while (told.at(-1)?.seq === last.seq) told.pop();
    return last.seq - 1;
  }
}
