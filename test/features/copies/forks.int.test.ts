// Forks of an account that a real pod owns, on real stores: any entry, archived or not; a node that dies between the two steps; an entry
// that is gone; MongoDB that is away.
import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { writeStates } from '../../../src/actors/engine/journal/archiveStates.ts';
import type { AccountGateway } from '../../../src/api/accounts/accountGateway.ts';
import { HistoryReader } from '../../../src/api/accounts/historyReader.ts';
import { KnownAccounts } from '../../../src/api/accounts/knownAccounts.ts';
import type { Call } from '../../../src/api/accounts/services.ts';
import { type ForkableState, type ForkPlace, Forks } from '../../../src/features/copies/forks.ts';
import { Imports } from '../../../src/features/copies/imports.ts';
import { readComparison } from '../../../src/features/copies/readComparison.ts';
import { readDivergence } from '../../../src/features/copies/readDivergence.ts';
import { tradingRules } from '../../../src/features/rules.ts';
import { subAccountAddress } from '../../../src/shared/access/subAccountAddress.ts';
import { ArchiveReader } from '../../../src/shared/archive/archiveReader.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import type { User } from '../../../src/shared/mongo/userStore.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../../support/actorBench.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { newestFormats } from '../../support/formats.ts';
import { until } from '../../support/until.ts';

const TRADES = 300;
const ACCOUNT = '/v1/exchanges/perpx/account';

describe('forks of an account', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: AccountGateway;
  let forks: Forks;
  const master = accountName(1);
  /** State hashes as the owner gave them after entries. */
  const told = new Map<number, string>();
  const callOf = (accountId: string): Call => ({
    ...{ requestId: 'r', receivedAtMs: 0 },
    caller: { userId: 'user_1', accountId, address: accountId, master, plan: 'basic', keyId: '' },
  });
  const send = (command: AccountCommand, accountId = master) => gateway.send(accountId, command, { requestId: 'r' });
  const summary = { type: 'query', query: { kind: 'groupMember' }, stateHash: true } as const;
  const stateOf = async (accountId: string) => {
    const outcome = await gateway.send(accountId, summary, { requestId: 'r', opensEmpty: true });
    if (outcome.type !== 'answer' || outcome.answer.kind !== 'groupMember') throw new Error(outcome.type);
    return { seq: outcome.seq, hash: outcome.stateHash ?? '', ...outcome.answer };
  };
  const note = async (): Promise<void> => {
    const { seq, hash } = await stateOf(master);
    told.set(seq, hash);
  };
  const read = (place: ForkPlace): Promise<ForkableState> => forks.read(callOf(master), place);
  const failureOf = (made: Promise<unknown>): Promise<string> =>
    made.then(
      () => 'none',
      (error: unknown) => (error instanceof RequestError ? `${error.status} ${error.code}: ${error.message}` : String(error)),
    );
  const node = () =>
    new KnownAccounts({
      ...{
        gateway,
        formats: newestFormats,
        forks: new Forks({ gateway, mongo: bench.mongo, formats: newestFormats, log: bench.log, rules: tradingRules }),
      },
      users: { noteSubAccount: async () => ({ plan: 'basic' }) as User },
    });
  /** The master beside a fork of it. */
  const compare = async (address: string, { sinceMs, entriesMax }: { sinceMs?: number; entriesMax?: number } = {}) => {
    const history = new HistoryReader({ gateway, mongo: bench.mongo });
    const services = { gateway, history, now: Date.now, ownAccounts: node() };
    const parts = { services, mongo: bench.mongo, onCount: () => undefined, ...(entriesMax !== undefined && { entriesMax }) };
    return await readComparison(parts, [callOf(master), callOf(address)], sinceMs);
  };
  /** The first step alone: the node has died then. */
  const make = async (name: string, { origin }: ForkableState): Promise<string> => {
    const outcome = await send({ type: 'createSubAccount', name, limit: 10, fork: origin });
    if (outcome.type !== 'subAccountCreated') throw new Error(JSON.stringify(outcome));
    return subAccountAddress(master, outcome.number);
  };

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '2', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400' });
    await bench.startOnlyPod();
    gateway = await bench.startNodeGateway();
    forks = new Forks({ gateway, mongo: bench.mongo, formats: newestFormats, log: bench.log, rules: tradingRules });
    await send(commands.open);
    await send({ type: 'updateLeverage', asset: 0, marginMode: 'isolated', leverage: 5 });
    for (let i = 0; i < TRADES; i++) {
      await send(i % 2 ? commands.place() : commands.rest('60000'));
      if (i % 20 === 0) await note();
    }
    await note();
    await until(
      async () => (await bench.redis.xlen(shardKeys.journal(0))) + (await bench.redis.xlen(shardKeys.journal(1))) === 0,
    );
  });
  after(() => bench.stop());

  it('the state as of any entry, archived or with its owner alone, is the one that its owner told', async () => {
    for (let i = 0; i < 5; i++) {
      await send(commands.place());
      await note();
    }
    for (const [seq, hash] of told) expect((await read({ seq })).origin, `entry ${seq}`).to.deep.equal({ of: master, seq, hash });
  });

  it('a time is its newest entry; none is before the first, and none beyond the newest', async () => {
    const seqs = [...told.keys()].filter((_, i) => i % 4 === 0);
    for (const seq of seqs) {
      const { timeMs } = await read({ seq });
      const { origin } = await read({ timeMs });
      expect(origin.seq).to.be.at.least(seq);
      expect((await read({ seq: origin.seq })).timeMs, 'of the same time').to.equal(timeMs);
      if (origin.seq < Math.max(...told.keys())) expect((await read({ seq: origin.seq + 1 })).timeMs).to.be.above(timeMs);
    }
    expect(await failureOf(read({ timeMs: 0 }))).to.match(/^400 seq_forgotten: No entry of that time or before is kept\./);
    expect(await failureOf(read({ seq: 1e9 }))).to.match(/^400 unknown_seq: /);
  });

  it('a time at which entries are lost means the one before them, or the state behind them; they are not looked for', async () => {
    const [before, lost] = [await read({ seq: 127 }), await read({ seq: 200 })];
    const [behind, later] = [await read({ seq: 255 }), await read({ seq: 290 })];
    const at = async ({ timeMs }: ForkableState) => (await read({ timeMs })).origin;
    const [ofBefore, ofLater] = [await at(before), await at(later)];
    expect(before.timeMs).to.be.below(lost.timeMs);
    expect(lost.timeMs).to.be.below(behind.timeMs);
    const chunks = bench.mongo.db.collection<{ _id: string }>(collections.archive);
    const gone = await chunks.find({ account: master, lastSeq: { $gt: 127, $lte: 255 } }).toArray();
    expect(gone).to.have.lengthOf.at.least(1);
    const states = bench.mongo.db.collection<{ _id: string }>(collections.archiveStates);
    const kept = await states.find({ account: master, seq: { $gt: 127, $lt: 255 } }).toArray();
    const state = { accountId: master, seq: 255, after: 127, reason: 'redisLost', text: behind.snapshot } as const;
    await chunks.deleteMany({ _id: { $in: gone.map(({ _id }) => _id) } });
    await states.deleteMany({ _id: { $in: kept.map(({ _id }) => _id) } });
    await writeStates({ mongo: bench.mongo, shard: 0, format: newestFormats.current }, [state]);
    try {
      expect(await at(lost), 'in the stretch').to.deep.equal(before.origin);
      expect((await at(behind)).seq, 'the state behind it').to.be.within(255, later.origin.seq);
      expect(await at(later), 'behind it').to.deep.equal(ofLater);
      const found = await at(before);
      expect(found, 'before it').to.deep.equal(ofBefore.seq > 127 ? before.origin : ofBefore);
      expect(await failureOf(read({ seq: 200 }))).to.match(/^400 seq_forgotten: Entry 200 counts no more\./);
    } finally {
      await states.deleteOne({ account: master, reason: 'redisLost' } as object);
      await chunks.insertMany(gone);
      if (kept.length > 0) await states.insertMany(kept);
    }
    expect(await at(lost)).to.include({ of: master });
  });

  it('a node that died between the two steps: whoever comes first begins the fork, once, from whichever nodes at once', async () => {
    const seq = [...told.keys()][4] ?? 0;
    const state = await read({ seq });
    const address = await make('cut off', state);
    expect(await make('cut off', state), 'the same request again').to.equal(address);
    expect((await send({ type: 'createSubAccount', name: 'cut off', limit: 10 })).type).to.equal('refused');
    const nodes = [node(), node(), node()];
    const named = await Promise.all(nodes.map((one) => one.named(callOf(master), address)));
    expect(named.map((caller) => caller?.accountId)).to.deep.equal(nodes.map(() => address));
    const { seq: own, fork, overview } = await stateOf(address);
    expect(own).to.equal(1);
    expect(fork).to.include({ of: master, seq, hash: state.origin.hash });
    expect(overview.openOrders).to.equal(JSON.parse(state.snapshot).orders.length);
    expect(Number(overview.balance)).to.be.closeTo(state.balanceUsd.toNumber(), 1e-6);
    expect(await forks.begin(callOf(address), state.origin, state), 'once more').to.equal(true);
    expect((await stateOf(address)).seq).to.equal(1);
  });

  it('MongoDB is away: the fork waits and is begun as what it is later', async () => {
    const state = await read({ seq: [...told.keys()][2] ?? 0 });
    const address = await make('waits', state);
    const away = { db: { collection: () => ({ find: () => ({ toArray: () => Promise.reject(new Error('away')) }) }) } };
    const other = new Forks({ gateway, mongo: away as never, formats: newestFormats, log: bench.log, rules: tradingRules });
    expect(await failureOf(other.begin(callOf(address), state.origin))).to.equal('Error: away');
    await node().named(callOf(master), address);
    expect((await stateOf(address)).fork).to.include({ hash: state.origin.hash });
  });

  it('an owner that dies goes on with the fork; orders in it keep their ids', async () => {
    const state = await read({ seq: [...told.keys()].at(-1) ?? 0 });
    const address = await make('lives on', state);
    await forks.begin(callOf(address), state.origin, state);
    const before = await stateOf(address);
    const [pod] = bench.pods;
    if (pod === undefined) throw new Error('no pod');
    await bench.stopPod(pod);
    await bench.startOnlyPod({ nodeId: 'next' });
    expect((await stateOf(address)).hash).to.equal(before.hash);
    const [order] = JSON.parse(state.snapshot).orders;
    const outcome = await send({ type: 'cancelOrders', cancels: [{ asset: order.asset, target: { oid: order.oid } }] }, address);
    expect(outcome).to.deep.equal({ type: 'cancels', cancels: [{ type: 'success' }] });
  });

  it('a comparison reads entries wherever they are, as many as it may, and says where it goes on', async () => {
    const seq = Math.max(...told.keys());
    const state = await read({ seq });
    const address = await make('compared', state);
    await forks.begin(callOf(address), state.origin, state);
    const { length } = (await compare(address)).differences;
    for (let i = 0; i < 6; i++) await send(commands.place());
    await until(async () => (await compare(address)).differences.length === length + 6);
    const whole = await compare(address);
    expect(whole.common).to.deep.equal({ address: master, seq, time: new Date(state.timeMs).toISOString() });
    expect(whole).to.include({ begins: 'common', from: whole.common.time, complete: true, next: null });
    expect(new Set(whole.differences.slice(length).map(({ why }) => why))).to.deep.equal(new Set(['command']));
    expect(whole.differences.map(({ account }) => (account?.seq ?? 0) > seq)).to.not.include(false);
    const older = told.keys().next().value ?? 0;
    const old = await make('from afar', await read({ seq: older }));
    await node().named(callOf(master), old);
    // From the archive and the owner: 300 orders that only the master has had.
    const all = await compare(old);
    expect(all.entries_read).to.be.greaterThan(TRADES);
    const countOf = ({ differences, more_differences }: typeof all): number => differences.length + more_differences;
    let found = 0;
    let part = await compare(old, { entriesMax: 100 });
    for (let parts = 1; ; parts++) {
      expect(part.entries_read).to.be.at.most(100);
      found += countOf(part);
      if (part.complete) break;
      expect([parts < 20, part.next !== null]).to.deep.equal([true, true]);
      part = await compare(old, { entriesMax: 100, sinceMs: Date.parse(part.next ?? '') });
    }
    expect(found).to.equal(countOf(all));
  });

  it('entries that count no more: a comparison over HTTP says so and why the rest differs, and none of them can be forked', async () => {
    const history = new HistoryReader({ gateway, mongo: bench.mongo });
    const api = await ApiNode.start({ redis: bench.redisStore, mongo: bench.mongoStore }, { gateway, history });
    try {
      const authorization = `Bearer ${(await api.register()).token}`;
      const get = async (path: string) => (await api.request('GET', `${ACCOUNT}/${path}`, { headers: { authorization } })).body;
      const fork = (body: object) => api.post(`${ACCOUNT}/fork`, body, { authorization });
      const [{ address: source }] = (await get('group')).accounts;
      const made = await fork({ name: 'beside', seq: (await stateOf(source)).seq, what_if: {} });
      expect(made.status, made.text).to.equal(200);
      const whatIf = made.body.address;
      for (let i = 0; i < 4; i++) await send(commands.place(), source);
      await until(async () => (await stateOf(whatIf)).fork?.received === 4);
      // Its clock stands still. An act of only one account in the last second is no difference yet.
      api.exchange.nowMs = Date.now() + 2000;
      expect((await get(`compare?with=${whatIf}`)).differences).to.deep.equal([]);
      const { seq: to } = await stateOf(source);
      const reader = new ArchiveReader(bench.mongo, source);
      const filled: number[] = [];
      await until(async () => {
        let newest = 0;
        filled.length = 0;
        for await (const { seq, text } of reader.entries(1, to)) {
          newest = seq;
          if (text.includes('"orderFilled"')) filled.push(seq);
        }
        return newest === to;
      });
      // The last two count no more, and what came with them.
      const after = (filled[2] ?? 0) - 1;
      const { snapshot: text } = await forks.read(callOf(source), { seq: to });
      const state = { accountId: source, seq: to, after, reason: 'entriesGivenUp', text } as const;
      await writeStates({ mongo: bench.mongo, shard: 0, format: newestFormats.current }, [state]);
      const { differences } = await get(`compare?with=${whatIf}`);
      expect(differences.map(({ why, what }: Record<string, string>) => `${why} ${what}`).sort()).to.deep.equal([
        'lost filled',
        'lost filled',
        'lost lost',
      ]);
      for (const { what, account, with: other, text: said } of differences) {
        expect(said).to.equal('Entries of one account are lost.');
        const lost = { address: source, seq: to, text: `entries ${after + 1} to ${to} count no more`, command: null, fill: null };
        if (what === 'lost') expect(account).to.deep.include(lost);
        else expect([account, other.address], 'a fill that only the what-if has now').to.deep.equal([null, whatIf]);
      }
      const refused = await fork({ name: 'gone', seq: after + 1 });
      expect([refused.status, refused.body.code]).to.deep.equal([400, 'seq_forgotten']);
      expect((await fork({ name: 'goes on', seq: to })).body).to.include({ of: source, seq: to });
    } finally {
      await api.stop();
    }
  });

  it('a divergence report reads entries wherever they are, as many as it may, and goes on', async () => {
    const account = subAccountAddress(master, 9);
    const tell = (command: AccountCommand) => gateway.send(account, command, { requestId: 'r', opensEmpty: true });
    const source = accountName(7);
    const taken = { takenAtMs: 1, accountValue: '20000', positions: [], orders: [], left: [] };
    await tell({ type: 'importAccount', source, scale: '0.5', ...taken });
    await tell({ type: 'followAddress', id: 'mir_1', source, sinceMs: 1, orders: [] });
    const tids = Array.from({ length: 30 }, (_, at) => at + 1);
    for (const tid of tids) {
      const fill = { tid, oid: tid, coin: 'NOPE', side: 'buy', price: '1', size: '4', fee: '2', timeMs: 1 + tid } as const;
      const fills = [{ ...fill, liquidity: 'taker' as const }];
      await tell({ type: 'followSource', id: 'mir_1', term: 1, fills, ended: [], opened: [] });
      // Pages go by times: at bounds as small as these, entries of one millisecond would be more than a page.
      const toldMs = Date.now();
      await until(() => Date.now() > toldMs + 1);
    }
    const services = { gateway, now: Date.now };
    const whole = await readDivergence({ services, mongo: bench.mongo }, callOf(account), undefined);
    expect(whole).to.include({ address: source, begins: 'whole', complete: true, next: null });
    // A fee of 1 for each at half of the size, and nothing here.
    expect([whole.total.fills, whole.total.difference.usd, whole.fills.length]).to.deep.equal([30, '-30.0', 30]);
    const unbounded = { entries: 1000, chars: 1_000_000, fills: 1000 };
    for (const bounds of [{ entries: 12 }, { chars: 6000 }, { fills: 10 }, {}]) {
      const parts = { services, mongo: bench.mongo, bounds: { ...unbounded, ...bounds }, rowsMax: 3 };
      const found: number[] = [];
      const begins = new Set<string>();
      for (let since: string | null | undefined; since !== null; ) {
        const page = await readDivergence(parts, callOf(account), since === undefined ? undefined : Date.parse(since));
        found.push(...page.fills.map(({ real }) => real.tid));
        begins.add(page.begins);
        expect([page.entries_read <= parts.bounds.entries, page.page.fills <= page.total.fills]).to.deep.equal([true, true]);
        expect(page.next).to.not.equal(since);
        since = page.next;
      }
      expect(found, JSON.stringify(bounds)).to.deep.equal(tids);
      expect(begins.has('since'), JSON.stringify(bounds)).to.equal(Object.keys(bounds).length > 0);
    }
    const venue = { ask: () => Promise.reject(new Error('the venue is not asked again')) };
    const again = () =>
      new Imports({ gateway, mongo: bench.mongo, venue, now: Date.now }).make(callOf(account), {
        source,
        scale: '0.5',
        isDryRun: false,
      });
    expect((await again()).seq).to.equal(2);
    // Redis has lost the entry, and the account goes on from a state behind it.
    const { seq: to } = await stateOf(account);
    const { snapshot: text } = await forks.read(callOf(account), { seq: to });
    const lost = { accountId: account, seq: to, after: 0, reason: 'redisLost', text } as const;
    await writeStates({ mongo: bench.mongo, shard: 0, format: newestFormats.current }, [lost]);
    expect(await failureOf(again())).to.equal('400 seq_forgotten: It was imported by entry 2, which is no longer kept.');
  });

  it('an entry that is not kept is refused with the first that is possible; a fork whose state is gone begins empty', async () => {
    const old = [...told.keys()][0] ?? 0;
    const address = await make('too late', await read({ seq: old }));
    const reader = new ArchiveReader(bench.mongo, master);
    await until(async () => (await reader.states()).length > 0);
    const possible = 200;
    const { snapshot: text } = await read({ seq: possible });
    // As the job of the archive leaves it: a state, and the chunks from its own on.
    const { db } = bench.mongo;
    await db.collection(collections.archiveStates).deleteMany({ account: master });
    const target = { mongo: bench.mongo, shard: 0, format: newestFormats.current };
    await writeStates(target, [{ accountId: master, seq: possible, text, reason: 'distance' }]);
    await db.collection(collections.archive).deleteMany({ account: master, lastSeq: { $lt: possible } });
    expect(await failureOf(read({ seq: old }))).to.equal(
      `400 seq_forgotten: The entry is no longer kept. The first that is possible is ${possible}.`,
    );
    for (const [seq, hash] of told) if (seq >= possible) expect((await read({ seq })).origin.hash).to.equal(hash);
    // A fork from before that time is compared with its source from the first kept entry on.
    const early = subAccountAddress(master, 1);
    const compared = await compare(early);
    expect([compared.begins, compared.common.seq < possible]).to.deep.equal(['kept', true]);
    const { timeMs } = await read({ seq: possible });
    expect(compared.from).to.equal(new Date(timeMs).toISOString());
    for (const { account } of compared.differences) expect(account?.seq).to.be.greaterThan(possible);
    await node().named(callOf(master), address);
    const { fork, overview } = await stateOf(address);
    expect([fork, overview.balance]).to.deep.equal([undefined, '0.0']);
    expect(await failureOf(compare(address))).to.match(/^400 unrelated_accounts: /);
  });
});
