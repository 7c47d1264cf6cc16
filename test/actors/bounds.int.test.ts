import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { OrderRequest } from '../../src/actors/core/messages/order.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import { readShardBytes } from '../../src/actors/engine/shardMetrics.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const keyed = (key: string, bodyDigest = 'aa') => ({ ...ask, idempotency: { key, bodyDigest } });
const codeOf = (sent: Promise<Outcome>): Promise<unknown> =>
  sent.then(
    ({ type }) => type,
    (error: unknown) => (error instanceof RequestError ? `${error.status} ${error.code}` : error),
  );

/** Orders that are refused: a long command, and nothing to hold for it. */
const refusedOrders = (count: number) =>
  ({
    type: 'placeOrders',
    grouping: 'na',
    orders: Array.from(
      { length: count },
      (_, i): OrderRequest => ({
        ...{ asset: 0, side: 'buy', limitPrice: '1', size: '0.001', reduceOnly: false },
        ...{ type: { kind: 'limit', timeInForce: 'gtc' }, cloid: `0x${String(i).padStart(32, '0')}` },
      }),
    ),
  }) as const;

describe('remembered answers: sealed, bounded in bytes, and never forgotten before their time', function () {
  this.timeout(600_000);
  const TTL_MS = 8000;
  let bench: ActorBench;
  let gateway: CommandGateway;
  let next = 100;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1', IDEMPOTENCY_TTL_MS: String(TTL_MS) });
    await bench.startOnlyPod();
    const config = { IDEMPOTENCY_BYTES: 6000, IDEMPOTENCY_SHARD_BYTES: 1_000_000 };
    gateway = await bench.startGateway({ config });
  });
  after(() => bench.stop());

  async function opened(): Promise<string> {
    next += 1;
    const account = accountName(next);
    await gateway.send(account, commands.open, ask);
    return account;
  }
  const openOrders = async (account: string): Promise<number> => {
    const answer = answerOf(await gateway.send(account, commands.openOrders, ask));
    return answer.kind === 'openOrders' ? answer.orders.length : Number.NaN;
  };

  /** By Redis's clock: nothing that is counted lives on. */
  const allPartsEnded = async (): Promise<boolean> => {
    const counted = shardKeys.answerBytes(0);
    const [parts, width, [seconds]] = await Promise.all([
      bench.redis.keys(`${counted}:[0-9]*`),
      bench.redis.hget(counted, '_width'),
      bench.redis.time(),
    ]);
    const nowMs = Number(seconds) * 1000;
    return parts.every((part) => Number(part.slice(counted.length + 1)) * Number(width) <= nowMs);
  };

  it('Redis holds neither the key nor the answer in clear, and the same answer comes again', async () => {
    const account = await opened();
    const first = await gateway.send(account, commands.rest('60000'), keyed('my-key-1'));
    const names = (await bench.redis.keys('{s00}:*')).filter((name) => name.includes('answer:') || name.includes('idem:'));
    expect(names).to.have.length(1);
    expect(names[0]).to.match(/^\{s00\}:answer:[0-9a-f]{32}$/);
    const text = String(await bench.redis.get(names[0] as string));
    expect(text).to.match(/^aa [A-Za-z0-9+/=]+$/);
    expect(await gateway.send(account, commands.rest('60000'), keyed('my-key-1'))).to.deep.equal(first);
    expect(await codeOf(gateway.send(account, commands.rest('60000'), keyed('my-key-1', 'bb')))).to.equal(
      '422 idempotency_mismatch',
    );
    expect(await openOrders(account)).to.equal(1);
  });

  it('twenty at once with one key have one effect and one answer', async () => {
    const account = await opened();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => gateway.send(account, commands.rest('60000'), keyed('one'))),
    );
    for (const outcome of outcomes) expect(outcome).to.deep.equal(outcomes[0]);
    expect(await openOrders(account)).to.equal(1);
  });

  it('past the bound of an account a new key is refused before any effect; known keys, other accounts and no key go on', async () => {
    const [account, other] = [await opened(), await opened()];
    const codes: unknown[] = [];
    for (let i = 0; codes.at(-1) !== '429 answers_full' && i < 40; i++) {
      codes.push(await codeOf(gateway.send(account, commands.rest('60000'), keyed(`k${i}`))));
    }
    expect(codes.at(-1)).to.equal('429 answers_full');
    expect(codes.length).to.be.within(5, 30);
    expect(await openOrders(account)).to.equal(codes.length - 1);
    const counted = Number(await bench.redis.hget(shardKeys.answerBytes(0), account));
    expect(counted).to.be.within(6000, 7000);
    expect(await codeOf(gateway.send(account, commands.rest('60000'), keyed('k0')))).to.equal('orders');
    expect(await codeOf(gateway.send(account, commands.rest('60000'), ask))).to.equal('orders');
    expect(await codeOf(gateway.send(other, commands.rest('60000'), keyed('k0')))).to.equal('orders');
    expect(await openOrders(account)).to.equal(codes.length);
    // A promised room is forgotten by its time alone, part by part of that time; when all parts have ended, all room is there.
    await until(async () => (await bench.redis.keys('{s00}:answer:*')).length === 0);
    await until(allPartsEnded);
    expect(await codeOf(gateway.send(account, commands.rest('60000'), keyed('new')))).to.equal('orders');
    expect(Number(await bench.redis.hget(shardKeys.answerBytes(0), account))).to.be.below(1000);
  });

  it('what a shard remembers is bounded too, and one account alone cannot fill it for the others', async () => {
    const full = await bench.startGateway({ config: { IDEMPOTENCY_BYTES: 64_000, IDEMPOTENCY_SHARD_BYTES: 12_000 } });
    const [greedy, small] = [await opened(), await opened()];
    let code: unknown;
    for (let i = 0; code !== '429 answers_full' && i < 100; i++) {
      code = await codeOf(full.send(greedy, refusedOrders(20), keyed(`g${i}`)));
    }
    expect(code).to.equal('429 answers_full');
    expect(await codeOf(full.send(small, commands.rest('60000'), keyed('s')))).to.equal('orders');
  });
});

describe('mailboxes: bounded in bytes, an account and a shard', function () {
  this.timeout(600_000);
  const BYTES = 40_000;
  let bench: ActorBench;
  let gateway: CommandGateway;

  beforeEach(async () => {
    bench = await ActorBench.start({ SHARDS: '1' });
    gateway = await bench.startGateway({ config: { MAILBOX_BYTES: BYTES, MAILBOX_SHARD_BYTES: 60_000 } });
  });
  afterEach(() => bench.stop());

  const heavy = refusedOrders(30);
  const waiting = async (account: string): Promise<number> => {
    const entries = await bench.redis.xrange(shardKeys.commands(0, account), '-', '+');
    return entries.reduce((sum, [, [, text = '']]) => sum + Buffer.byteLength(text), 0);
  };
  const counted = async (field: string): Promise<number> => Number(await bench.redis.hget(shardKeys.mailboxBytes(0), field));

  it('a command that is too much is refused before it is written; room comes with the commit', async () => {
    expect(shardOf(accountName(1), 1)).to.equal(0);
    const account = accountName(1);
    const sent = Array.from({ length: 20 }, () => codeOf(gateway.send(account, heavy, ask)));
    const refused = await Promise.race(sent);
    expect(refused).to.equal('429 mailbox_full');
    await until(async () => (await waiting(account)) > BYTES / 2);
    const bytes = await waiting(account);
    expect(bytes).to.be.below(BYTES + 1);
    expect(await counted(account)).to.equal(bytes);
    expect(await counted('_all')).to.equal(bytes);
    expect(await readShardBytes(bench.redis, [0])).to.deep.equal([{ shard: 0, mailboxes: bytes, answers: 0, kept: 0 }]);
    const registry = new Registry();
    await bench.startOnlyPod({ registry });
    const codes = await Promise.all(sent);
    expect(await registry.metrics()).to.include('shard_bytes{shard="0",of="mailboxes"} 0');
    expect(codes.filter((code) => code === '429 mailbox_full').length).to.be.within(1, 19);
    expect(await bench.redis.exists(shardKeys.mailboxBytes(0))).to.equal(0);
    await gateway.send(account, commands.open, ask);
    expect(await codeOf(gateway.send(account, heavy, ask))).to.equal('refused');
  });

  it('when a shard is full, accounts that hardly wait for anything still send', async () => {
    const accounts = [1, 2, 3].map(accountName) as [string, string, string];
    for (const account of accounts.slice(0, 2)) for (let i = 0; i < 8; i++) void codeOf(gateway.send(account, heavy, ask));
    await until(async () => (await counted('_all')) > 50_000);
    expect(await counted('_all')).to.be.below(60_001);
    expect(await codeOf(gateway.send(accounts[0], heavy, ask))).to.equal('429 mailbox_full');
    void codeOf(gateway.send(accounts[2], commands.rest('60000'), ask));
    await until(async () => (await bench.redis.xlen(shardKeys.commands(0, accounts[2]))) === 1);
  });

  it('what an older build has taken out without counting is found', async () => {
    const account = accountName(1);
    await bench.redis.hset(shardKeys.mailboxBytes(0), { [account]: 39_999, [accountName(9)]: 1e9, _all: 1_000_039_999 });
    void codeOf(gateway.send(account, heavy, ask));
    await until(async () => (await bench.redis.xlen(shardKeys.commands(0, account))) === 1);
    const bytes = await waiting(account);
    expect([await counted(account), await counted('_all')]).to.deep.equal([bytes, bytes]);
  });
});
