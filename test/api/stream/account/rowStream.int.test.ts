import { expect } from 'chai';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import { NO_ROWS } from '../../../../src/actors/core/messages/historyRows.ts';
import type { Outcome } from '../../../../src/actors/core/messages/queryAnswer.ts';
import { AccountAnswers } from '../../../../src/api/accounts/accountAnswers.ts';
import type { Call, Services } from '../../../../src/api/accounts/services.ts';
import { AccountFeeds } from '../../../../src/api/stream/account/accountFeeds.ts';
import {
  type Channel,
  type CloseCode,
  closeCodes,
  type OpenSubscription,
  type Subscriber,
} from '../../../../src/api/stream/channel/channel.ts';
import { orderUpdates } from '../../../../src/api/stream/channels/accountEvents.ts';
import { userFills, userFundings } from '../../../../src/api/stream/channels/rowLists.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { RequestError } from '../../../../src/shared/errors.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { SerialQueue } from '../../../../src/shared/waiting.ts';
import { ExchangeInMemory } from '../../../support/exchangeInMemory.ts';
import { gatewayOf } from '../../../support/gatewayOf.ts';
import { TestShard } from '../../../support/journals.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import type { StreamMessage } from '../../../support/streamContract.ts';
import { until } from '../../../support/until.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
/** Entries in one answer of the account, so few that a replay needs many. */
const ENTRIES_PER_ANSWER = 7;

/** A subscription's end at a socket, that reads as fast as the test lets it. */
class Ear implements Subscriber {
  readonly messages: StreamMessage[] = [];
  /** Rows of the past that were counted, page by page. */
  readonly paid: number[] = [];
  slow = false;
  closed: CloseCode | undefined;
  readonly #call: Call;
  readonly #turns = new SerialQueue();

  constructor(call: Call) {
    this.#call = call;
  }

  get seqs(): (number | undefined)[] {
    return this.messages.map(({ seq }) => seq);
  }

  call(): Call {
    return this.#call;
  }

  send(message: Buffer): void {
    // Before the text is the head of its WebSocket frame.
    this.messages.push(JSON.parse(message.toString('utf8', message.indexOf('{'))));
  }

  latest(message: Buffer): void {
    this.send(message);
  }

  seal(): void {}

  isSlow(): boolean {
    return this.slow;
  }

  async pay(rows: number): Promise<void> {
    this.paid.push(rows);
  }

  waitForTurn(): Promise<() => void> {
    return this.#turns.take();
  }

  close(why: CloseCode): void {
    this.closed ??= why;
  }
}

describe('rowStream: what was before and what follows are one', () => {
  const log = createLogger({ level: 'silent', role: 'test' });
  let store: Store;
  let redis: Redis;
  let shard: TestShard;
  let feeds: AccountFeeds;
  let answers: AccountAnswers;
  let call: Call;
  /** Entries up to this number have left the journal as the account knows it: MongoDB has their rows. */
  let storedTo = 0;
  let firstSeq = 0;
  let lastGoneSeqs = NO_ROWS;
  let beforeAnswer: () => Promise<void>;
  let nowMs = 1_800_000_000_000;

  before(async () => {
    store = await startRedis();
  });
  beforeEach(async () => {
    redis = connectRedis({ url: store.url, name: 'test', log });
    await redis.flushall();
    shard = new TestShard(redis, 0);
    await shard.take(1);
    const exchange = new ExchangeInMemory();
    call = { ...exchange.call, caller: { ...exchange.call.caller, accountId: ACCOUNT, address: ACCOUNT } };
    feeds = new AccountFeeds({
      redis,
      log,
      config: { SHARDS: 1 },
      subscriberFactory: (name = 'journal') => connectRedis({ url: store.url, name, log }),
    });
    const services: Services = { ...exchange.services, gateway };
    answers = new AccountAnswers({ services, historyOf: () => services.history, history: { stored } });
    [storedTo, firstSeq] = [0, 0];
    lastGoneSeqs = NO_ROWS;
    beforeAnswer = async () => undefined;
  });
  afterEach(() => {
    feeds.stop();
    redis.disconnect();
  });
  after(() => store.stop());

  /** Answers as the account's actor does. */
  const gateway = gatewayOf(async (_accountId, command): Promise<Outcome> => {
    await beforeAnswer();
    if (command.type !== 'query' || command.query.kind !== 'entries') throw new Error('not asked');
    const { afterSeq } = command.query;
    const own = shard.entries.map(({ entry }) => entry);
    const held = own.filter(({ seq }) => seq > Math.max(afterSeq, storedTo)).slice(0, ENTRIES_PER_ANSWER);
    return { type: 'answer', seq: own.at(-1)?.seq ?? 0, answer: { kind: 'entries', entries: held, firstSeq, lastGoneSeqs } };
  });
  const stored: AccountAnswers['history']['stored'] = async (_accountId, kind, { afterSeq, toSeq }) =>
    shard.entries.flatMap(({ entry }) =>
      entry.seq > afterSeq && entry.seq <= Math.min(toSeq, storedTo)
        ? rowsOf(entry).flatMap((row) => (row.kind === kind ? [{ seq: entry.seq, row }] : []))
        : [],
    );

  const write = async (count = 1): Promise<void> => {
    for (let i = 0; i < count; i++) {
      nowMs += 10;
      await shard.write(nowMs, [ACCOUNT], shard.trade);
    }
  };
  const subscribe = async (ear: Ear, fields: object = {}): Promise<OpenSubscription> => {
    const channel = orderUpdates.create({ answers, feeds });
    return channel.open(channel.read({ type: 'orderUpdates', ...fields }), ear);
  };
  const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

  it('begins after the entry that the account is at, and leaves nothing out that comes meanwhile', async () => {
    await write(3);
    const ear = new Ear(call);
    let answered = 0;
    beforeAnswer = async () => {
      answered += 1;
      if (answered <= 3) await write();
    };
    const opened = await subscribe(ear);
    await write();
    opened.start();
    await write();
    const last = shard.entries.at(-1)?.entry.seq ?? 0;
    await until(() => ear.seqs.at(-1) === last);
    // The first answer came after one more entry.
    expect(ear.seqs).to.deep.equal(from(5, last));
    opened.close();
    await write();
    expect(ear.seqs.at(-1)).to.equal(last);
  });

  for (const known of [0, 1, 19, 20, 21, 39, 40]) {
    it(`repeats what came after ${known}, wherever it is, and goes on`, async () => {
      await write(40);
      storedTo = 20;
      const ear = new Ear(call);
      const opened = await subscribe(ear, { fromSeq: known });
      await write();
      opened.start();
      await until(() => ear.seqs.at(-1) === 41);
      expect(ear.seqs).to.deep.equal(from(known + 1, 41));
      const whole = new Ear(call);
      storedTo = 0;
      (await subscribe(whole, { fromSeq: known })).start();
      await until(() => whole.seqs.at(-1) === 41);
      expect(whole.messages).to.deep.equal(ear.messages);
      opened.close();
    });
  }

  it('refuses what cannot be repeated', async () => {
    await write(10);
    const refusal = (fromSeq: number): Promise<unknown> =>
      subscribe(new Ear(call), { fromSeq }).catch((error: unknown) => (error instanceof RequestError ? error.code : error));
    expect(await refusal(11)).to.equal('unknown_seq');
    [storedTo, firstSeq] = [8, 5];
    expect(await refusal(3)).to.equal('seq_forgotten');
    expect(await refusal(4)).to.have.property('seq', 4);
    storedTo = 3;
    expect(await refusal(3)).to.have.property('seq', 3);
  });

  it('refuses what would leave out rows that are gone for their age, of the kinds it tells of', async () => {
    await write(10);
    storedTo = 8;
    const of = (channel: Channel, fromSeq: number): Promise<unknown> =>
      Promise.resolve(channel.open(channel.read({ type: channel.type, fromSeq }), new Ear(call))).then(
        ({ seq }) => seq,
        (error: unknown) => (error instanceof RequestError ? `${error.code}: ${error.message}` : error),
      );
    const [fills, fundings] = [userFills.create({ answers, feeds }), userFundings.create({ answers, feeds })];
    lastGoneSeqs = { ...NO_ROWS, fills: 5 };
    expect(await of(fills, 4)).to.equal('seq_forgotten: Nothing before seq 6 can be replayed: history begins there.');
    expect(await of(fills, 5)).to.equal(5);
    expect(await of(fundings, 4)).to.equal(4);
    expect(await of(orderUpdates.create({ answers, feeds }), 4)).to.match(/^seq_forgotten/); // it tells of fills, too
    storedTo = 3;
    expect(await of(fills, 4)).to.equal(4);
  });

  it('waits for a slow client with its past, and tells what comes meanwhile after it', async () => {
    await write(30);
    const ear = new Ear(call);
    const opened = await subscribe(ear, { fromSeq: 0 });
    ear.slow = true;
    opened.start();
    await write(5);
    const other = new Ear(call);
    (await subscribe(other, { fromSeq: 30 })).start();
    await until(() => other.seqs.at(-1) === 35);
    expect(ear.seqs).to.deep.equal([]);
    ear.slow = false;
    await until(() => ear.seqs.at(-1) === 35);
    expect(ear.seqs).to.deep.equal(from(1, 35));
    await write();
    await until(() => ear.seqs.at(-1) === 36);
    opened.close();
  });

  it('reads the past of one subscription of a socket after the other, as fast as the client does', async () => {
    await write(30);
    const ear = new Ear(call);
    const first = await subscribe(ear, { fromSeq: 10 });
    ear.slow = true;
    first.start();
    let asked = 0;
    beforeAnswer = async () => {
      asked += 1;
    };
    const second = subscribe(ear, { fromSeq: 0, user: `0x${'b'.repeat(40)}` });
    const refused = subscribe(ear, { fromSeq: 99 }).then(
      () => 'subscribed',
      ({ code }: RequestError) => code,
    );
    const now = await subscribe(ear); // it has no past to wait for
    expect(now.seq).to.equal(30);
    const askedBefore = asked;
    ear.slow = false;
    (await second).start();
    await until(() => ear.seqs.length === 50);
    expect(ear.seqs).to.deep.equal([...from(11, 30), ...from(1, 30)]);
    expect(asked).to.be.above(askedBefore);
    expect(await refused).to.equal('unknown_seq');
    for (const opened of [first, await second, now]) opened.close();
  });

  it('ends the socket when entries are missing', async () => {
    await write(3);
    const ear = new Ear(call);
    (await subscribe(ear)).start();
    const entry = { ...shard.entries[2]?.entry, seq: 6, v: NEWEST_FORMAT };
    await redis.xadd('{s00}:journal', '9-0', 't', nowMs, 'k', 1, 'i', 1, 'e', JSON.stringify([entry]));
    await until(() => ear.closed !== undefined);
    expect([ear.closed, ear.seqs]).to.deep.equal([closeCodes.broken, []]);
  });

  it('makes a message once for all who hear the same', async () => {
    const channel = userFills.create({ answers, feeds });
    const read = (fields: object) => channel.read({ type: 'userFills', fromSeq: 0, ...fields });
    const [first, second, other] = [new Ear(call), new Ear(call), new Ear(call)];
    const sent = new Map<Ear, Buffer[]>();
    for (const ear of [first, second, other]) {
      sent.set(ear, []);
      ear.send = (message) => sent.get(ear)?.push(message);
      const opened = await channel.open(read(ear === other ? { user: `0x${'b'.repeat(40)}` } : {}), ear);
      opened.start();
    }
    await write();
    await until(() => [...sent.values()].every((messages) => messages.length === 1));
    expect(sent.get(first)?.[0]).to.equal(sent.get(second)?.[0]);
    expect(String(sent.get(other)?.[0])).to.include(`"user":"0x${'b'.repeat(40)}"`);
  });
});
