// Questions about an address, on a real Redis and a venue that answers over HTTP what the test says.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { readConfig } from '../../../src/shared/config/config.ts';
import { TerminalError } from '../../../src/shared/errors.ts';
import { UpstreamLimited } from '../../../src/shared/venue/requestInfo.ts';
import { VenueBusy } from '../../../src/shared/venue/upstream.ts';
import { VenueBudget } from '../../../src/shared/venue/venueBudget.ts';
import { FreshQuestions } from '../../../src/shared/venue/venueQuestions.ts';
import { openRedis, type Store, startRedis } from '../../support/stores.ts';

const log = pino({ level: 'silent' });
const config = readConfig({});
/** The largest answer, as docs/copies.md names it. */
const BYTES_MAX = 4_000_000;

describe('freshQuestions: an answer of this moment, or an error that says why there is none', () => {
  let store: Store;
  let redis: Redis;
  let venue: Server;
  let url: string;
  let asked: number;
  let answer: (response: ServerResponse) => void;

  before(async () => {
    store = await startRedis();
    redis = openRedis(store.url);
    venue = createServer((request, response) => {
      asked++;
      request.resume().on('end', () => answer(response));
    });
    await new Promise<void>((listening) => venue.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(venue.address() as AddressInfo).port}`;
  });
  beforeEach(async () => {
    asked = 0;
    await redis.flushall();
  });
  after(async () => {
    venue.closeAllConnections();
    await new Promise((closed) => venue.close(closed));
    redis.disconnect();
    await store.stop();
  });

  const question = { type: 'openOrders', user: `0x${'1'.repeat(40)}` };
  const questionsOf = (): FreshQuestions => {
    const budget = new VenueBudget({ redis, config, now: Date.now });
    return new FreshQuestions({ log, url, budget, now: Date.now });
  };
  const ask = async (payer: string): Promise<unknown> =>
    await questionsOf()
      .ask(question, payer)
      .catch((error: unknown) => error);
  /** A JSON text of so many bytes. */
  const textOf = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;

  it('after a 429 no user’s question goes to the venue for as long as it asked for', async () => {
    answer = (response) => response.writeHead(429, { 'retry-after': '30' }).end();
    const limited = await ask('ann');
    expect(limited).to.be.instanceOf(UpstreamLimited);
    expect((limited as UpstreamLimited).waitMs).to.equal(30_000);
    answer = (response) => response.end('[]');
    const refused = await ask('bob');
    expect(refused).to.be.instanceOf(VenueBusy);
    expect((refused as VenueBusy).isOwn).to.equal(false);
    expect((refused as VenueBusy).retryMs).to.be.within(1, 30_000);
    expect(asked).to.equal(1);
  });

  it('an answer of the largest size is read, one more byte is refused, and others may go on asking', async () => {
    answer = (response) => response.end(textOf(BYTES_MAX));
    expect(await ask('ann')).to.have.length(BYTES_MAX - 2);
    answer = (response) => response.end(textOf(BYTES_MAX + 1));
    const tooLarge = await ask('ann');
    expect(tooLarge).to.be.instanceOf(TerminalError);
    expect((tooLarge as Error).message).to.equal('upstream answer is too large');
    answer = (response) => response.end('[]');
    expect(await ask('ann')).to.deep.equal([]);
    expect(asked).to.equal(3);
  });

  it('a question is not under way any more, whatever became of it', async () => {
    const outcomes: ((response: ServerResponse) => void)[] = [
      (response) => response.end('[]'),
      (response) => response.end(textOf(BYTES_MAX + 1)),
      (response) => response.writeHead(500).end(),
      (response) => response.writeHead(429).end(),
    ];
    for (const outcome of outcomes) {
      answer = outcome;
      const before = asked;
      await ask('ann');
      expect(asked).to.equal(before + 1);
      expect((await redis.keys('*')).filter((key) => key.includes('asked'))).to.deep.equal([]);
    }
  });

  it('a patient one waits while the venue asks for a pause, asks once more, and gives up only when it is told to', async () => {
    answer = (response) => {
      answer = (later) => later.end('["later"]');
      response.writeHead(429, { 'retry-after': '1' }).end();
    };
    expect(await questionsOf().askPatiently(question, 'ann', new AbortController().signal)).to.deep.equal(['later']);
    expect(asked, 'the one that was refused, and the one that was answered').to.equal(2);
    answer = (response) => response.writeHead(429, { 'retry-after': '30' }).end();
    await ask('ann');
    const end = new AbortController();
    const waiting = questionsOf()
      .askPatiently(question, 'ann', end.signal)
      .catch((error: unknown) => error);
    end.abort();
    expect(((await waiting) as Error).name).to.equal('AbortError');
    expect(asked, 'nothing goes to the venue in the pause').to.equal(3);
    await redis.flushall();
    answer = (response) => response.writeHead(500).end();
    const away = await questionsOf()
      .askPatiently(question, 'ann', new AbortController().signal)
      .catch((error: unknown) => error);
    expect((away as Error).message, 'a venue that is away is the asker’s to wait for').to.equal('upstream answers 500');
  });
});
