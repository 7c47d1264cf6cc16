import { expect } from 'chai';
import { VIEW_LIFE_MS } from '../../../../src/actors/core/messages/accountFigures.ts';
import type { AccountQuery } from '../../../../src/actors/core/messages/command.ts';
import type { Rules } from '../../../../src/actors/core/rules.ts';
import type { Actors } from '../../../../src/actors/role.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { LiveMarket } from '../../../../src/market/domain/liveMarket.ts';
import type { RequestError } from '../../../../src/shared/errors.ts';
import { ActorBench, accountName, commands } from '../../../support/actorBench.ts';
import { ReadingNode } from '../../../support/readingNode.ts';

const STATE: AccountQuery = { kind: 'accountState' };

describe('views: questions about an account at rest do not reach its owner', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let pod: Actors;
  let node: ReadingNode;
  let clockMs = Date.now();
  let accounts = 0;
  let account: string;
  const now = (): number => Math.max(clockMs, Date.now());

  before(async () => {
    bench = await ActorBench.start();
    pod = await bench.startOnlyPod({ now });
  });
  after(() => bench.stop());

  beforeEach(async () => {
    accounts += 1;
    account = accountName(accounts);
    node = await ReadingNode.start(bench, { now });
    await node.send(account, commands.open);
  });

  const missesOf = (reason: Parameters<typeof node.figures.misses.get>[0]): number => node.figures.misses.get(reason) ?? 0;

  it('the third question fetches the view, and later ones are answered here', async () => {
    await node.send(account, commands.place());
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await node.ask(account, STATE));
    expect(node.asked).to.deep.equal(['accountState', 'accountState', 'accountView']);
    expect(node.figures).to.include({ hits: 3, fetches: 1, size: 1 });
    expect(missesOf('none')).to.equal(3);
    for (const { seq } of answers) expect(seq).to.equal(answers[0]?.seq);
    const { stateHash } = await node.ask(account, { kind: 'summary' }, { withHash: true });
    expect(node.asked).to.have.length(3);
    const other = await ReadingNode.start(bench, { now });
    expect((await other.ask(account, { kind: 'summary' }, { withHash: true })).stateHash).to.equal(stateHash);
  });

  it('whoever has an acknowledgement reads it, on any node', async () => {
    const others = [await ReadingNode.start(bench, { now }), await ReadingNode.start(bench, { now })];
    for (let round = 1; round <= 30; round++) {
      for (const other of others) await other.ask(account, STATE);
      await node.send(account, commands.place());
      const seqs = await Promise.all(
        others.flatMap((other) => [other.ask(account, STATE), other.ask(account, { kind: 'openOrders' })]),
      );
      expect(seqs.map(({ seq }) => seq)).to.deep.equal([round + 1, round + 1, round + 1, round + 1]);
    }
  });

  it('a bot that trades and asks in turn never pays for a view', async () => {
    for (let i = 0; i < 10; i++) {
      await node.send(account, commands.place());
      await node.ask(account, STATE);
      await node.ask(account, { kind: 'openOrders' });
    }
    expect(node.figures.fetches).to.equal(0);
    expect(node.asked).to.have.length(20);
  });

  it('a view follows what happens to its account, whoever trades', async () => {
    const other = await ReadingNode.start(bench, { now });
    await node.warm(account);
    for (let i = 1; i <= 10; i++) {
      await (i % 2 === 0 ? node : other).send(account, i < 6 ? commands.place() : commands.rest(String(50_000 + i)));
      expect((await node.ask(account, STATE)).seq).to.equal(1 + i);
    }
    expect(node.asked).to.deep.equal([]);
    expect(node.figures).to.include({ folded: 10, followedHits: 10 });
    const { answer, stateHash } = await node.ask(account, { kind: 'openOrders' }, { withHash: true });
    const asked = await other.ask(account, { kind: 'openOrders' }, { withHash: true });
    expect({ answer, stateHash }).to.deep.equal({ answer: asked.answer, stateHash: asked.stateHash });
    const text = await node.registry.metrics();
    expect(text).to.include('api_account_view_entries_total 10\n').and.to.include('api_account_view_followed_hits_total 11\n');
  });

  it('one whose account has changed more than is told has the view again with its first question', async () => {
    await node.warm(account);
    for (let i = 0; i < 5; i++) await node.ask(account, STATE);
    const rest = commands.rest('50000');
    const orders = rest.type === 'placeOrders' ? rest.orders : [];
    await node.send(account, { type: 'placeOrders', orders: Array(100).fill(orders[0]), grouping: 'na' });
    await node.ask(account, STATE);
    await node.ask(account, STATE);
    expect(node.asked).to.deep.equal(['accountView']);
    expect(missesOf('changed')).to.equal(1);
  });

  it('an entry whose message gets lost makes a miss, and no answer of before', async () => {
    const deaf = await ReadingNode.start(bench, { now, loses: () => true });
    await deaf.warm(account);
    for (let i = 1; i <= 5; i++) {
      for (let n = 0; n < 2; n++) await deaf.ask(account, STATE);
      await node.send(account, commands.place());
      expect((await deaf.ask(account, STATE)).seq).to.equal(1 + i);
    }
    expect(deaf.asked).to.deep.equal(Array(5).fill('accountView'));
    expect([deaf.figures.folded, deaf.figures.misses.get('behind')]).to.deep.equal([0, 5]);
  });

  it('one view of an account is on its way at a time', async () => {
    await node.ask(account, STATE);
    await node.ask(account, STATE);
    await Promise.all(Array.from({ length: 20 }, () => node.ask(account, STATE)));
    expect(node.asked.filter((kind) => kind === 'accountView')).to.have.length(1);
    await node.ask(account, STATE);
    expect(node.figures).to.include({ fetches: 1, hits: 1 });
  });

  it('what is due is the owner’s to do', async () => {
    await node.send(account, commands.rest('60000'));
    await node.send(account, { type: 'scheduleCancel', dueMs: now() + 60_000 });
    await node.warm(account);
    expect((await node.ask(account, { kind: 'openOrders' })).answer)
      .to.have.property('orders')
      .with.length(1);
    expect(node.asked).to.deep.equal([]);
    clockMs = now() + 61_000;
    expect((await node.ask(account, { kind: 'openOrders' })).answer)
      .to.have.property('orders')
      .with.length(0);
    // The clock may have woken the owner before the question came.
    expect(missesOf('due') + missesOf('changed')).to.equal(1);
  });

  it('a node without the market asks the owner about positions, and answers what needs none', async () => {
    await node.send(account, commands.place());
    const blind = await ReadingNode.start(bench, { now, market: new LiveMarket({ maxAgeMs: 600_000 }) });
    await blind.warm(account);
    await blind.ask(account, STATE);
    expect(blind.asked).to.deep.equal(['accountState']);
    expect(blind.figures.misses.get('market')).to.be.greaterThan(0);
    await blind.ask(account, { kind: 'openOrders' });
    expect(blind.asked).to.deep.equal(['accountState']);
  });

  it('a node without a coin asks the owner what an order in it ties up, and why it waits', async () => {
    await node.send(account, commands.rest('50000'));
    const { answer: opened } = await node.ask(account, { kind: 'openOrders' });
    const oid = opened.kind === 'openOrders' ? (opened.orders[0]?.oid ?? 0) : 0;
    const blind = await ReadingNode.start(bench, { now, market: new LiveMarket({ maxAgeMs: 600_000 }) });
    await blind.warm(account);
    const [seen, wanted] = [(await blind.ask(account, STATE)).answer, (await node.ask(account, STATE)).answer];
    if (seen.kind !== 'accountState' || wanted.kind !== 'accountState') throw new Error('other answers than were asked for');
    expect(seen.state.withdrawable).to.equal(wanted.state.withdrawable);
    await blind.ask(account, { kind: 'whyOpen', target: { oid } });
    expect(blind.asked.slice(-2)).to.deep.equal(['accountState', 'whyOpen']);
  });

  it('a mark older than the bound is no mark', async () => {
    await node.send(account, commands.place());
    let nodeMs = Date.now();
    const late = await ReadingNode.start(bench, { now: () => nodeMs });
    await late.warm(account);
    await late.ask(account, STATE);
    expect(late.asked).to.deep.equal([]);
    nodeMs += 601_000;
    await late.ask(account, STATE);
    expect(late.asked).to.deep.equal(['accountState']);
  });

  it('an old view is asked for again, so that an account that is only watched counts as used', async () => {
    let atMs = 0;
    const watcher = await ReadingNode.start(bench, { now, clock: () => atMs });
    await watcher.warm(account);
    atMs += VIEW_LIFE_MS / 2;
    await watcher.ask(account, STATE);
    await watcher.ask(account, STATE);
    expect(watcher.asked).to.deep.equal(['accountView']);
    expect(watcher.figures.misses.get('aged')).to.equal(1);
  });

  it('while Redis does not say which version is true the owner is asked', async () => {
    const redis = bench.connect('views');
    const cut = await ReadingNode.start(bench, { now, redis });
    await cut.warm(account);
    redis.disconnect();
    await cut.ask(account, STATE);
    expect(cut.asked).to.deep.equal(['accountState']);
    expect(cut.figures.misses.get('unchecked')).to.equal(1);
  });

  it('a reset account has no view of before', async () => {
    await node.send(account, commands.place());
    await node.warm(account);
    await node.send(account, { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    expect((await node.ask(account, STATE)).answer)
      .to.have.nested.property('state.positions')
      .with.length(0);
  });

  it('a halted account is refused, whatever view there was', async () => {
    await bench.stopPod(pod);
    const unfoldable: Partial<Rules> = {
      decide: (state, command, context) => {
        const decision = tradingRules.decide(state, command, context);
        if (command.type !== 'updateLeverage') return decision;
        return { ...decision, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] };
      },
    };
    pod = await bench.startOnlyPod({ now, rules: unfoldable });
    await node.warm(account);
    await node.ask(account, STATE);
    expect(node.asked).to.deep.equal([]);
    const halting = { type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: 3 } as const;
    for (const refused of [() => node.send(account, halting), () => node.ask(account, STATE), () => node.ask(account, STATE)]) {
      expect(await refused().catch((error: RequestError) => error.code)).to.equal('account_quarantined');
    }
  });

  it('an ended order is the owner’s to find, and then kept with the view', async () => {
    const { reading } = node;
    await node.send(account, commands.place());
    await node.warm(account);
    const history = reading.historyOf(reading.views);
    const past = { accountId: account, requestId: 'test' };
    const [row] = await history.latest(past, 'orders', 10);
    const oid = row?.kind === 'orders' ? row.row.order.oid : 0;
    const first = await history.findOrder(past, { oid });
    const asked = [...node.asked];
    expect(asked).to.deep.equal(['history', 'orderStatus']);
    expect(await history.findOrder(past, { oid })).to.equal(first);
    expect(await history.latest(past, 'orders', 10)).to.deep.equal([row]);
    expect(node.asked).to.deep.equal(asked);
  });

  it('fills are read once while the account stands still, and after the next one anew', async () => {
    const { reading } = node;
    const past = { accountId: account, requestId: 'a caller’s' };
    const fillsOf = async (): Promise<number> =>
      (await reading.historyOf(reading.views).between(past, 'fills', { startMs: 0, endMs: now(), limit: 100 })).length;
    await node.send(account, commands.place());
    for (let i = 0; i < 6; i++) expect(await fillsOf()).to.equal(1);
    expect(node.asked).to.deep.equal(['history', 'history', 'accountView', 'history']);
    expect(node.askedFor).to.deep.equal(Array(4).fill('a caller’s'));
    await node.send(account, commands.place());
    expect(await fillsOf()).to.equal(2);
  });

  it('what was read at a later entry than the view’s is not kept with it', async () => {
    const { views } = node.reading;
    const past = (data: string, seqs: number[]) =>
      views.past(account, () => 'key', { requestId: 'test', read: async () => ({ data, rows: 1, seqs }) });
    await node.warm(account);
    expect((await past('later', [1, 2])).data).to.equal('later');
    expect((await past('now', [1, 1])).data).to.equal('now');
    expect((await past('unread', [])).data).to.equal('now');
  });

  it('a view is not true of the entry that another node has a view of', async () => {
    const other = await ReadingNode.start(bench, { now });
    await node.warm(account);
    await other.send(account, commands.place());
    await other.warm(account);
    expect((await node.ask(account, STATE)).seq).to.equal(2);
  });

  it('a view that made room before it paid is not fetched at once again', async () => {
    const small = await ReadingNode.start(bench, { now, viewsMaxBytes: 80_000 });
    const others = Array.from({ length: 12 }, (_, n) => accountName(2000 + n));
    for (const other of others) await small.send(other, commands.open);
    // In turn, so that each has left before it is asked about again.
    for (let round = 0; round < 12; round++) for (const other of others) await small.ask(other, STATE);
    // Each question would fetch one, from the third round on.
    expect(small.figures.fetches).to.be.at.most(3 * others.length);
  });

  it('views make room for others at the bound in bytes', async () => {
    const small = await ReadingNode.start(bench, { now, viewsMaxBytes: 80_000 });
    for (let n = 1; n <= 12; n++) {
      const other = accountName(1000 + n);
      await small.send(other, commands.open);
      await small.warm(other);
    }
    expect(small.figures.bytes).to.be.at.most(80_000).and.greaterThan(0);
    expect(small.figures.size).to.be.lessThan(12);
    expect(small.figures.evicted).to.equal(12 - small.figures.size);
    const text = await small.registry.metrics();
    expect(text).to.include(`api_account_view_evictions_total ${small.figures.evicted}\n`);
    expect(text).to.include(`api_account_view_bytes ${small.figures.bytes}\n`);
    expect(text).to.match(/api_account_view_misses_total\{reason="none"\} \d+/);
  });

  it('an owner that is gone makes no view true, and its successor answers', async () => {
    await node.warm(account);
    await bench.stopPod(pod);
    pod = await bench.startOnlyPod({ now });
    const other = await ReadingNode.start(bench, { now });
    await other.warm(account);
    const { seq } = await node.ask(account, STATE);
    expect(seq).to.equal(1);
    expect(missesOf('changed')).to.equal(1);
    expect(node.asked).to.have.length(1);
  });
});
