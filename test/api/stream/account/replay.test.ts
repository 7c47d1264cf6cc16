import { expect } from 'chai';
import type { AccountEntry } from '../../../../src/actors/core/messages/entry.ts';
import { NO_ROWS } from '../../../../src/actors/core/messages/historyRows.ts';
import type { AccountAnswers } from '../../../../src/api/accounts/accountAnswers.ts';
import type { Answered } from '../../../../src/api/accounts/accountGateway.ts';
import type { Call } from '../../../../src/api/accounts/services.ts';
import { type AccountFeeds, toUpdate, type UpdateListener } from '../../../../src/api/stream/account/accountFeeds.ts';
import { type ReplayPage, replay, type Wanted } from '../../../../src/api/stream/account/replay.ts';
import { rowStream } from '../../../../src/api/stream/account/rowStream.ts';
import { type CloseCode, closeCodes, type Subscriber } from '../../../../src/api/stream/channel/channel.ts';
import { SerialQueue } from '../../../../src/shared/waiting.ts';
import { until } from '../../../support/until.ts';

const call = { caller: { accountId: '0xaa', address: '0xaa' } } as Call;
/** Entries in one answer of the account. */
const PER_ANSWER = 5;

/** An action of some orders, each of which has ended. */
const heavy = (seq: number, orders = 1000): AccountEntry =>
  ({
    ...{ accountId: '0xaa', seq, timeMs: seq, firstRows: { ...NO_ROWS, orders: orders * seq } },
    events: Array.from({ length: orders }, (_, oid) => ({ type: 'orderEnded', order: { oid }, status: 'canceled' })),
  }) as unknown as AccountEntry;
const heavyOnes = (count: number, orders = 1000) => Array.from({ length: count }, (_, i) => heavy(i + 1, orders));

/** An account whose entries up to `storedTo` are in MongoDB. */
class Account {
  storedTo = 0;
  readonly entries: readonly AccountEntry[];
  /** Questions that were asked so far. */
  asked = 0;

  constructor(entries: readonly AccountEntry[]) {
    this.entries = entries;
  }

  ask = async ({ afterSeq }: { readonly afterSeq: number }): Promise<Answered<'entries'>> => {
    this.asked += 1;
    const entries = this.entries.filter(({ seq }) => seq > Math.max(afterSeq, this.storedTo)).slice(0, PER_ANSWER);
    const answer = { kind: 'entries', entries, firstSeq: 0, lastGoneSeqs: NO_ROWS } as const;
    return { type: 'answer', answer, seq: this.entries.length };
  };

  readonly answers = {
    services: {
      log: { debug: () => undefined },
      gateway: { ask: (_id: string, query: { afterSeq: number }) => this.ask(query) },
    },
    history: {
      stored: async (
        _id: string,
        kind: string,
        { afterSeq, toSeq, limit }: { afterSeq: number; toSeq: number; limit: number },
      ) => {
        this.asked += 1;
        const rows = this.entries
          .filter(({ seq }) => seq > afterSeq && seq <= Math.min(toSeq, this.storedTo))
          .flatMap((entry) => toUpdate(entry).rows.map((row) => ({ seq: entry.seq, row })))
          .filter(({ row }) => row.kind === kind);
        // Buckets are read whole.
        return rows.slice(0, 256 * Math.ceil(limit / 256));
      },
    },
  } as unknown as AccountAnswers;

  async pages(wanted: Wanted): Promise<ReplayPage[]> {
    const pages: ReplayPage[] = [];
    for await (const page of replay(this.answers, call, wanted)) pages.push(page);
    return pages;
  }
}

describe('replay: the past page by page, whole however long it is', () => {
  const orders = { kinds: ['orders'], afterSeq: 0 } as const;

  it('from the journal: as many entries in a page as the account answers', async () => {
    const pages = await new Account(heavyOnes(12)).pages(orders);
    expect(pages.map(({ updates, seq, isLast }) => [updates.length, seq, isLast])).to.deep.equal([
      [5, 5, false],
      [5, 10, false],
      [2, 12, true],
    ]);
  });

  it('from MongoDB: entries as far as they are whole, and at least one', async () => {
    for (const [count, of] of [
      [12, 1000],
      [200, 30],
      [3, 5000],
    ] as const) {
      const account = new Account(heavyOnes(count, of));
      account.storedTo = count - 1;
      const pages = await account.pages(orders);
      const updates = pages.flatMap((page) => page.updates);
      expect(updates.map(({ seq, rows }) => [seq, rows.length])).to.deep.equal(
        Array.from({ length: count }, (_, i) => [i + 1, of]),
      );
      const mostRows = Math.max(...pages.map((page) => page.updates.reduce((rows, update) => rows + update.rows.length, 0)));
      expect(mostRows).to.be.most(Math.max(PER_ANSWER * 1000, 4 * of));
    }
  });

  it('rows of other kinds are not held', async () => {
    const pages = await new Account(heavyOnes(60)).pages({ kinds: ['fills'], afterSeq: 0 });
    expect(pages.flatMap(({ updates }) => updates)).to.deep.equal([]);
    expect(pages.at(-1)).to.include({ seq: 60, isLast: true });
  });
});

describe('rowStream: what a subscription holds of an account’s past is bounded', () => {
  let listener: UpdateListener | undefined;
  let closed: CloseCode[];
  let sent: Buffer[];
  let paid: number[];
  let isSlow: boolean;
  let mayGoOn: () => void;
  let turns: SerialQueue;

  const subscriber = {
    call: () => call,
    send: (message: Buffer) => sent.push(message),
    isSlow: () => isSlow,
    close: (code: CloseCode) => closed.push(code),
    pay: (rows: number) => {
      paid.push(rows);
      return new Promise<void>((resolve) => {
        mayGoOn = resolve;
      });
    },
    waitForTurn: () => turns.take(),
  } as unknown as Subscriber;
  const feeds = {
    listen: async (_accountId: string, listening: UpdateListener) => {
      listener = listening;
    },
    leave: () => undefined,
  } as unknown as AccountFeeds;

  beforeEach(() => {
    [closed, sent, paid, isSlow, turns] = [[], [], [], false, new SerialQueue()];
  });

  const open = (account: Account, fromSeq?: number) =>
    rowStream(
      {
        kinds: ['orders'],
        messages: ({ rows }) => [rows.length],
      },
      { answers: account.answers, feeds },
    ).open({ type: 'orderUpdates', ...(fromSeq !== undefined && { fromSeq }) } as { type: 'orderUpdates' }, subscriber);

  it('a page is read when the one before has been paid for and read by the client', async () => {
    const account = new Account(heavyOnes(15));
    isSlow = true;
    const { start, close } = await open(account, 0);
    start();
    expect([account.asked, sent.length]).to.deep.equal([1, 0]);
    isSlow = false;
    await until(() => paid.length >= 1);
    expect([account.asked, sent.length, paid]).to.deep.equal([1, 5, [5000]]);
    mayGoOn();
    await until(() => paid.length >= 2);
    expect([account.asked, sent.length, paid]).to.deep.equal([2, 10, [5000, 5000]]);
    close();
    mayGoOn();
    await new Promise(setImmediate);
    expect([account.asked, sent.length, closed]).to.deep.equal([2, 10, []]);
  });

  it('others have their turn between entries with many rows', async () => {
    const { start, close } = await open(new Account(heavyOnes(5)), 0);
    start();
    const sentByTurn: number[] = [];
    while (sent.length < 5) {
      sentByTurn.push(sent.length);
      await new Promise(setImmediate);
    }
    expect(sentByTurn.length).to.be.least(4);
    close();
  });

  it('a failure on the way closes the socket: what was sent is valid, and fromSeq goes on from there', async () => {
    const account = new Account(heavyOnes(15));
    const { start } = await open(account, 0);
    account.ask = () => Promise.reject(new Error('away'));
    start();
    await until(() => paid.length >= 1);
    mayGoOn();
    await until(() => closed.length > 0);
    expect([closed, sent.length]).to.deep.equal([[closeCodes.broken], 5]);
  });

  it('a client that does not read while its subscription opens is closed at 30,000 rows', async () => {
    const { start, close } = await open(new Account(heavyOnes(5)), 0);
    isSlow = true;
    start();
    for (let seq = 6; seq <= 35; seq++) listener?.onUpdate(toUpdate(heavy(seq)));
    expect(closed).to.deep.equal([]);
    listener?.onUpdate(toUpdate(heavy(36)));
    expect(closed).to.deep.equal([closeCodes.slow]);
    close();
  });
});
