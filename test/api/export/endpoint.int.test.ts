// The export over HTTP: what is refused, what is streamed, and one at a time.
import { expect } from 'chai';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

const PATH = '/v1/exchanges/perpx/account/export';

describe('GET …/account/export', () => {
  let stores: { redis: Store; mongo: Store };
  let node: ApiNode;
  let user: TestUser;

  before(async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    stores = { redis, mongo };
    node = await ApiNode.start(stores);
    user = await node.register();
  });
  after(async () => {
    await node.stop();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  const get = (query: string) => node.request('GET', `${PATH}?${query}`, { headers: { authorization: `Bearer ${user.token}` } });

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
    const bad = [
      '',
      'kind=twaps',
      'kind=fills&format=xml',
      'kind=journal&format=csv',
      'kind=fills&chain=ab',
      'kind=journal&from=1',
    ];
    bad.push(
      `kind=journal&chain=${hash}`,
      `kind=journal&from=0&chain=${hash}`,
      'kind=journal&from=1&chain=XY',
      'kind=fills&kind=orders',
    );
    for (const query of bad) {
      const { status, body } = await get(query);
      expect([query, status, body.code]).to.deep.equal([query, 400, 'invalid_request']);
    }
    for (const from of ['1', 'a', '-1.0', '1.2.3', '9'.repeat(40)])
      expect((await get(`kind=fills&from=${from}`)).body.code).to.equal('invalid_cursor');
    expect((await get('kind=ledger&account=0x12')).status).to.equal(400);
    expect((await get(`kind=ledger&account=0x${'ab'.repeat(20)}`)).status).to.equal(404);
    expect((await node.request('GET', `${PATH}?kind=ledger`)).status).to.equal(401);
    expect((await get('kind=ledger')).status).to.equal(200);
  });
});
