// The export over HTTP: refused requests, streamed answers, and the number of exports at a time.
import { expect } from 'chai';
import { RetryableError } from '../../../src/shared/errors.ts';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const PATH = '/v1/exchanges/perpx/account/export';

describe('GET …/account/export', () => {
  let stores: { redis: Store; mongo: Store };
  let node: ApiNode;
  let user: TestUser;
  /** Exports of journals that wait at their account, which then has no owner. */
  const waiting: (() => void)[] = [];

  before(async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    stores = { redis, mongo };
    const { gateway: answering } = new ExchangeInMemory().services;
    const gateway = gatewayOf(async (accountId, command, options) => {
      const isOfJournal = command.type === 'query' && command.query.kind === 'overview';
      if (isOfJournal) await new Promise<void>((_, refuse) => waiting.push(() => refuse(new RetryableError('no owner'))));
      return await answering.send(accountId, command, options);
    });
    node = await ApiNode.start(stores, { gateway });
    user = await node.register();
  });
  after(async () => {
    await node.stop();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  const get = (query: string, { token } = user) =>
    node.request('GET', `${PATH}?${query}`, { headers: { authorization: `Bearer ${token}` } });
  it('streams lines with a head and an end, as a file', async () => {
    const { status, headers, text } = await get('kind=ledger');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/jsonl; charset=utf-8');
    expect(headers.get('content-disposition')).to.match(/^attachment; filename="0x[0-9a-f]{40}-ledger\.jsonl"$/);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].head.form).to.equal('perpx ledger');
    expect(lines.at(-1).end).to.include({ complete: true, rows: lines.length - 2 });
  });

  it('refuses what it cannot read by name, and gives its place back', async () => {
    const hash = '0'.repeat(64);
    const bad = ['', 'kind=twaps', 'kind=fills&format=xml', 'kind=fills&chain=ab'];
    bad.push('kind=journal&from=1&chain=XY', 'kind=fills&kind=orders');
    const together = ['kind=journal&from=1', `kind=journal&chain=${hash}`, `kind=journal&from=0&chain=${hash}`];
    together.push(`kind=fills&chain=${hash}`);
    for (const [queries, code] of [
      [bad, 'invalid_request'],
      [together, 'contradiction'],
    ] as const)
      for (const query of queries) {
        const { status, body } = await get(query);
        expect([query, status, body.code]).to.deep.equal([query, 400, code]);
      }
    for (const from of ['1', 'a', '-1.0', '1.2.3', '9'.repeat(40)])
      expect((await get(`kind=fills&from=${from}`)).body.code).to.equal('invalid_cursor');
    expect((await get('kind=ledger&account=0x12')).status).to.equal(400);
    expect((await get(`kind=ledger&account=0x${'ab'.repeat(20)}`)).status).to.equal(404);
    expect((await node.request('GET', `${PATH}?kind=ledger`)).status).to.equal(401);
    expect((await get('kind=ledger')).status).to.equal(200);
  });

  it('streams CSV as a file, with a header and a last record', async () => {
    const { status, headers, text } = await get('kind=equity&format=csv');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.match(/^attachment; filename="0x[0-9a-f]{40}-equity\.csv"$/);
    const [head, row, end, ...rest] = text.split('\r\n');
    expect(head).to.equal('next,time,account_value,balance,net_deposits,open_positions');
    expect(row).to.match(/^1,\d{4}-\d\d-\d\dT[\d:.]+Z,10000.0,10000.0,10000.0,0$/);
    expect(end).to.equal('end,complete,1,1,0,');
    expect(rest).to.deep.equal(['']);
  });

  it('a user has one at a time, whichever account or kind; its place is free when it has ended, however', async () => {
    const first = get('kind=journal');
    await until(() => waiting.length === 1);
    for (const query of ['kind=journal', 'kind=fills&format=csv']) {
      const second = await get(query);
      expect([second.status, second.body.code, second.headers.get('retry-after')]).to.deep.equal([429, 'too_many_reads', '5']);
    }
    expect((await get('kind=ledger', await node.register())).status).to.equal(200);
    waiting[0]?.();
    expect((await first).body.code).to.equal('store_unavailable');
    await until(async () => (await get('kind=ledger')).status === 200);
  });
});
