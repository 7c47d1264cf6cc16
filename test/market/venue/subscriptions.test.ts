import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import type { VenueCandle } from '../../../src/market/domain/feed.ts';
import { toWireFrame } from '../../../src/market/emulator/info.ts';
import { Venue } from '../../../src/market/emulator/venue.ts';
import { ExchangeSubscriptions } from '../../../src/market/venue/subscriptions.ts';

const START = Date.UTC(2026, 10, 20, 9, 58, 30);
/** Of a busy machine: trades are sent so much after they happened. */
const TICK_MS = 700;
const MINUTE_MS = 60_000;

/** A client's end that keeps what it is sent. */
class Socket extends EventEmitter {
  readonly bufferedAmount = 0;
  readonly frames: { readonly channel: string; readonly data: VenueCandle }[] = [];

  send(text: string): void {
    this.frames.push(JSON.parse(text));
  }
}

describe('subscriptions to a venue of our own', () => {
  it('tell how each candle ended, though its last trades come after its end', async () => {
    let nowMs = START;
    const venue: Venue = new Venue({
      seed: 1,
      isQuiet: false,
      now: () => nowMs,
      emit: (channel, coin, data) => subscriptions.push({ channel, coin, data: () => toWireFrame(channel, coin, data) }),
      emitOfUser: () => undefined,
    });
    const subscriptions = new ExchangeSubscriptions(venue);
    const socket = new Socket();
    subscriptions.accept(socket as unknown as WebSocket);
    for (const interval of ['1m', '3m']) {
      const subscription = { type: 'candle', coin: 'ETH', interval };
      socket.emit('message', JSON.stringify({ method: 'subscribe', subscription }));
    }
    while (nowMs < START + 10 * MINUTE_MS) {
      nowMs += TICK_MS;
      venue.coin('ETH')?.advance(nowMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const interval of ['1m', '3m']) {
      const told = socket.frames.filter(({ channel, data }) => channel === 'candle' && data.i === interval);
      const last = new Map(told.map(({ data }) => [data.t, data]));
      const req = { coin: 'ETH', interval, startTime: START };
      expect([...last.values()], interval).to.deep.equal(await venue.info({ type: 'candleSnapshot', req }));
    }
  });
});
