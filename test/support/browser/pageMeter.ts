// The cost of a page: the requests and bytes that it takes from the network, and the time of its main thread. Threads' own time is
// counted, which another process on the machine does not lengthen.
import type { CDPSession } from 'playwright-core';
import type { WatchedPage } from './watchedPage.ts';

/** Seconds of the main thread, nodes of documents, bytes of the heap. */
export interface Cost {
  readonly taskSeconds: number;
  readonly nodes: number;
  readonly heapBytes: number;
}

export class PageMeter {
  /** `GET /path`, and `WS /path` for a socket; since the last `begin`. */
  requests: string[] = [];
  /** Frames of sockets. */
  frames = 0;
  /** Of answers as they were sent, heads included, and of frames. */
  bytes = 0;
  /** The newest moment that the account's state was of, ms: the exchange's own clock. */
  stateMs = 0;
  /** Called before a frame is counted. */
  onFrame: (channel: string) => void = () => undefined;
  readonly #cdp: CDPSession;

  private constructor(cdp: CDPSession) {
    this.#cdp = cdp;
  }

  /** To be called before the page goes anywhere. */
  static async on({ page, context }: WatchedPage): Promise<PageMeter> {
    const cdp = await context.newCDPSession(page);
    const meter = new PageMeter(cdp);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    cdp.on('Network.requestWillBeSent', ({ request }) => {
      if (request.url.startsWith('http')) meter.requests.push(`${request.method} ${pathOf(request.url)}`);
    });
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      meter.bytes += encodedDataLength;
    });
    page.on('websocket', (socket) => {
      meter.requests.push(`WS ${pathOf(socket.url())}`);
      socket.on('framereceived', ({ payload }) => {
        const message = JSON.parse(String(payload));
        meter.onFrame(message.channel);
        meter.frames += 1;
        meter.bytes += Buffer.byteLength(payload);
        if (message.channel === 'clearinghouseState') meter.stateMs = message.data.clearinghouseState.time;
      });
    });
    await cdp.send('Network.enable');
    return meter;
  }

  /** Counts from here on. */
  begin(): void {
    this.requests = [];
    this.frames = 0;
    this.bytes = 0;
  }

  /** Hears of requests no more: telling of them is work of the page's main thread. */
  async endRequests(): Promise<void> {
    await this.#cdp.send('Network.disable');
  }

  /** @param options.afterGarbage what can be freed is freed before */
  async cost({ afterGarbage = false } = {}): Promise<Cost> {
    // A collection releases objects, and the next collection can free more.
    for (let i = 0; afterGarbage && i < 3; i++) await this.#cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    const of = (wanted: string): number => {
      const found = metrics.find(({ name }) => name === wanted);
      if (found === undefined) throw new Error(`the browser does not tell ${wanted}`);
      return found.value;
    };
    return { taskSeconds: of('TaskDuration'), nodes: of('Nodes'), heapBytes: of('JSHeapUsedSize') };
  }
}

const pathOf = (url: string): string => new URL(url).pathname;
