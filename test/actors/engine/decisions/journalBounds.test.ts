import { expect } from 'chai';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import { JournalBounds, JournalSize } from '../../../../src/actors/engine/decisions/journalBounds.ts';

const NOW_MS = 1_800_000_000_000;
const order = (reduceOnly: boolean): AccountCommand => ({
  type: 'placeOrders',
  grouping: 'na',
  orders: [
    {
      ...{ asset: 0, side: 'buy', limitPrice: '1', size: '1', reduceOnly },
      type: { kind: 'limit', timeInForce: 'gtc' },
    },
  ],
});
const cancel: AccountCommand = { type: 'cancelOrders', cancels: [] };
const question: AccountCommand = { type: 'query', query: { kind: 'accountState' } };

describe('journal bounds: who fills it is refused, and what ends risk later', () => {
  type Case = {
    name: string;
    command: AccountCommand;
    bytes: { account?: number; shard?: number };
    isQueued?: true;
    want: unknown;
  };
  const refusalOf = ({ command, bytes, isQueued }: Case) =>
    new JournalBounds({
      ...{ accountBytesMax: 100, shardBytesMax: 1000, shardBytes: () => bytes.shard ?? 0, onRefused: () => undefined },
    }).refusal(
      bytes.account ?? 0,
      { id: { incarnation: 'a', counter: 1 }, requestId: 'r', ...(!isQueued && { deadlineMs: NOW_MS + 5000 }), command },
      NOW_MS,
    );

  const full = { account: 1e6, shard: 1e6 };
  const credit: AccountCommand = { type: 'creditPlan', usd: '1' };
  const cases: Case[] = [
    { name: 'an order below both bounds', command: order(false), bytes: { account: 99, shard: 749 }, want: undefined },
    {
      name: 'an order of an account with little in a crowded shard',
      command: order(false),
      bytes: { account: 6, shard: 999 },
      want: undefined,
    },
    {
      name: 'one with a sixteenth of its bound there',
      command: order(false),
      bytes: { account: 7, shard: 750 },
      want: 'accountJournalFull',
    },
    { name: 'a cancel there', command: cancel, bytes: { account: 124, shard: 750 }, want: undefined },
    { name: 'an order at the account’s', command: order(false), bytes: { account: 100 }, want: 'accountJournalFull' },
    { name: 'an order at the shard’s', command: order(false), bytes: { shard: 1000 }, want: 'journalFull' },
    { name: 'a cancel within the reserve', command: cancel, bytes: { account: 124, shard: 1249 }, want: undefined },
    { name: 'a cancel past it', command: cancel, bytes: { account: 125 }, want: 'accountJournalFull' },
    { name: 'a reduce-only order within the reserve', command: order(true), bytes: { account: 124 }, want: undefined },
    { name: 'a reduce-only order past that of the shard', command: order(true), bytes: { shard: 1250 }, want: 'journalFull' },
    { name: 'a question, however full', command: question, bytes: full, want: undefined },
    { name: 'what a payment has queued, however full', command: credit, bytes: full, isQueued: true, want: undefined },
    { name: 'the same from a client who waits for the answer', command: credit, bytes: full, want: 'accountJournalFull' },
  ];
  for (const one of cases) {
    it(`${one.name}: ${one.want ?? 'is taken'}`, () => expect(refusalOf(one)).to.equal(one.want));
  }

  it('a user’s sub-accounts on one shard leave a quarter of it to accounts with little, however many they are below sixteen', () => {
    const account = { bytes: 33_554_432, shard: 134_217_728 };
    for (const count of [1, 3, 4, 15]) {
      const [own, neighbour] = [Array.from({ length: count }, () => 0), { bytes: 0 }];
      const total = (): number => own.reduce((sum, bytes) => sum + bytes, neighbour.bytes);
      const bounds = new JournalBounds({
        ...{ accountBytesMax: account.bytes, shardBytesMax: account.shard, shardBytes: total, onRefused: () => undefined },
      });
      let counter = 0;
      const isTaken = (bytes: number): boolean => {
        counter += 1;
        const id = { incarnation: 'a', counter };
        return bounds.refusal(bytes, { id, requestId: 'r', deadlineMs: NOW_MS, command: order(false) }, NOW_MS) === undefined;
      };
      // All of them write entries of 64 kB until none is taken; then the neighbour trades on.
      for (let isAny = true; isAny; )
        isAny = own.reduce((any, bytes, i) => {
          if (!isTaken(bytes)) return any;
          own[i] = bytes + 65_536;
          return true;
        }, false);
      expect(total(), `${count} accounts`).to.be.below(account.shard);
      expect(isTaken(neighbour.bytes), `beside ${count} accounts`).to.equal(true);
    }
  });

  it('a command that was sent twice stays refused when there is room again', () => {
    let shardBytes = 1000;
    const counted: string[] = [];
    const bounds = new JournalBounds({
      ...{ accountBytesMax: 100, shardBytesMax: 1000, shardBytes: () => shardBytes, onRefused: (bound) => counted.push(bound) },
    });
    const sent = (counter: number) => ({
      ...{ id: { incarnation: 'a', counter }, requestId: 'r', deadlineMs: NOW_MS + 5000, command: order(false) },
    });
    expect(bounds.refusal(0, sent(1), NOW_MS)).to.equal('journalFull');
    shardBytes = 0;
    expect(bounds.refusal(0, sent(1), NOW_MS + 1000)).to.equal('journalFull');
    expect(bounds.refusal(0, sent(2), NOW_MS + 1000)).to.equal(undefined);
    expect(counted).to.deep.equal(['shard', 'shard']);
  });
});

describe('journal size: what is written and cut', () => {
  it('counts commits together and gives them back when all of them are cut', () => {
    const size = new JournalSize();
    for (let commit = 1; commit <= 10; commit++) size.add(commit, 100_000);
    expect(size.bytes).to.equal(1_000_000);
    size.cut(2);
    expect(size.bytes, 'a part is cut whole').to.equal(1_000_000);
    size.cut(3);
    expect(size.bytes).to.equal(700_000);
    size.cut(10);
    expect(size.bytes).to.equal(0);
    size.add(11, 5);
    expect(size.bytes).to.equal(5);
  });
});
