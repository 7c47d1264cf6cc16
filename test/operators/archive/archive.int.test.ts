// An operator's view of an account's past, against a running pod. Verification finds each kind of damage.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Binary, type Document } from 'mongodb';
import { fromSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { createBilling } from '../../../src/shared/billing/billing.ts';
import type { RequestError } from '../../../src/shared/errors.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { ActorBench, accountName, commands } from '../../support/actorBench.ts';
import { newestFormats } from '../../support/formats.ts';
import { until } from '../../support/until.ts';

const ask = { requestId: 'r' };
const ENTRIES = 300;

describe('admin: an account’s past', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let parts: OperatorParts;
  let dir: string;
  const [account, quiet] = [accountName(1), accountName(2)];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'paper-archive-'));
    bench = await ActorBench.start({ SHARDS: '1', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400', ARCHIVE_DIR: dir });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    const { config, log, redis, mongo } = bench;
    const billing = createBilling({ config, log, now: Date.now, redis, mongo, formats: newestFormats });
    parts = { billing, redis, mongo };
    await billing.users.insert({
      ...{ _id: 'user_1', email: 'ada@example.com', passwordHash: '', plan: 'basic', address: account, schema: 1 },
      ...{ createdAt: new Date(), trialExpiresAt: new Date(), subscriptionExpiresAt: null },
    });
    for (const accountId of [account, quiet]) await gateway.send(accountId, commands.open, ask);
    for (let i = 0; i < ENTRIES; i += 50) {
      const leverage = (value: number) => ({ type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: value }) as const;
      const trades = Array.from({ length: 50 }, (_, n) => (n % 5 ? leverage((n % 20) + 1) : commands.place()));
      await Promise.all(trades.map((command) => gateway.send(account, command, ask)));
    }
    await until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0);
    await until(async () => (await snapshotSeq()) === ENTRIES + 1);
    await gateway.send(account, commands.place(), ask);
  });
  after(() => bench.stop());

  const run = (...words: string[]) => runCommand(words, parts);
  // biome-ignore lint/suspicious/noExplicitAny: the data of a command is whatever it shows
  const dataOf = async (...words: string[]): Promise<any> => (await run(...words)).data;
  const failure = (...words: string[]): Promise<Error> =>
    run(...words).then(
      () => expect.fail(`${words.join(' ')} should have failed`),
      (error: Error) => error,
    );
  const documents = (name: string) => parts.mongo.db.collection<Document & { _id: string }>(name);
  const snapshotSeq = async (): Promise<number> =>
    (await documents(collections.accounts).findOne({ _id: account }))?.['seq'] ?? 0;
  const chunkIds = async (): Promise<string[]> =>
    (await documents(collections.archive).find({ account }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

  /** The findings of verification while a document is changed; then the document is itself again. */
  async function found(name: string, _id: string, damaged: (document: Document) => Document | undefined): Promise<Document> {
    const whole = (await documents(name).findOne({ _id })) ?? expect.fail(`no ${_id}`);
    const other = damaged(whole);
    await documents(name).deleteOne({ _id });
    if (other !== undefined) await documents(name).insertOne(other as typeof whole);
    const { data, isBad } = await run('account', 'verify', account);
    if (other !== undefined) await documents(name).deleteOne({ _id: other['_id'] });
    await documents(name).insertOne(whole);
    expect(isBad).to.equal(true);
    return (data as { difference: Document }).difference;
  }

  it('show says what it is and what there is of it, by address and by user', async () => {
    const shown = await dataOf('account', 'show', 'ada@example.com');
    expect(shown).to.include({ account, email: 'ada@example.com', plan: 'basic', shard: 0, seq: ENTRIES + 2, halted_for: null });
    expect(shown.owner).to.be.a('string');
    expect(shown.archive).to.include({ first_seq: 1 });
    expect(shown.archive.last_seq).to.be.at.least(ENTRIES + 1);
    expect(shown.state_hash).to.match(/^h2:[0-9a-f]{64}$/);
    expect(await dataOf('account', 'show', account.toUpperCase().replace('0X', '0x'))).to.include({ account });
    expect(await failure('account', 'show', '0xdead')).to.have.property('name', 'Refused');
    expect(await failure('account', 'show')).to.have.property('name', 'UsageError');
  });

  it('a whole account is whole, while it trades too', async () => {
    const trading = Promise.all(Array.from({ length: 40 }, () => gateway.send(account, commands.place(), ask)));
    const { data, isBad } = await run('account', 'verify', account);
    await trading;
    expect(isBad, JSON.stringify(data)).to.equal(false);
    const { verified } = await dataOf('account', 'verify', account);
    expect(verified).to.include({ first: 1, last: ENTRIES + 42, folded: ENTRIES + 42 });
    expect(verified.rows).to.be.above(ENTRIES / 2);
    expect(verified.states).to.equal(1);
    expect(verified.notes).to.deep.equal([]);
    expect(await dataOf('account', 'verify', '--all')).to.deep.equal({ accounts: 2, different: [] });
  });

  it('export is the entries with a chain over them; a part of it is too', async () => {
    const file = join(dir, 'past.jsonl');
    const exported = await dataOf('account', 'export', account, file);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const [head = '', ...rest] = lines;
    const end = JSON.parse(rest.pop() ?? '');
    expect(JSON.parse(head)).to.deep.equal({ form: 'account entries', version: 1, forms: '1.0', account });
    expect(rest.map((line) => JSON.parse(line).seq)).to.deep.equal(rest.map((_, at) => at + 1));
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(end).to.include({ entries: rest.length, chain: rest.reduce((chain, line) => sha256(chain + line), sha256(head)) });
    expect(end.state_hash)
      .to.equal((await dataOf('account', 'show', account)).state_hash)
      .and.equal(exported.state_hash);
    await run('account', 'export', account, join(dir, 'part.jsonl'), '--from', '100', '--to', '140');
    expect(readFileSync(join(dir, 'part.jsonl'), 'utf8').trimEnd().split('\n')).to.deep.include.members(rest.slice(99, 140));
    expect(await failure('account', 'export', account, join(dir, 'no', 'folder'))).to.match(/ENOENT/);
    expect(await failure('account', 'export', account, join(dir, 'x'), '--from', '9999')).to.match(/the newest is/);
    expect(await failure('account', 'export', account, join(dir, 'x'), '--from', 'one')).to.have.property('name', 'UsageError');
    expect(existsSync(join(dir, 'x'))).to.equal(false);
  });

  it('ARCHIVE_DIR has the same entries, line by line', async () => {
    const chunks = () =>
      readdirSync(join(dir, account))
        .filter((name) => name.endsWith('.jsonl.gz'))
        .sort();
    await until(() => existsSync(join(dir, account)) && chunks().length === 3);
    const copied = () =>
      chunks()
        .map((name) => gunzipSync(readFileSync(join(dir, account, name))).toString())
        .join('');
    await until(() => copied().trimEnd().split('\n').length === ENTRIES + 42);
    await run('account', 'export', account, join(dir, 'all.jsonl'));
    const exported = readFileSync(join(dir, 'all.jsonl'), 'utf8').split('\n').slice(1, -2).join('\n');
    expect(copied().trimEnd()).to.equal(exported);
    expect(readdirSync(join(dir, account)).some((name) => name.endsWith('.state.gz'))).to.equal(true);
    expect(readdirSync(join(dir, account)).some((name) => name.endsWith('.tmp'))).to.equal(false);
  });

  describe('verify finds the first difference:', () => {
    before(() => until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0));

    it('a changed byte in a chunk, whichever it is', async () => {
      const [, second = ''] = await chunkIds();
      for (const at of [5, 40, -9]) {
        const difference = await found(collections.archive, second, (chunk) => {
          const [part, ...others] = chunk['parts'] as { sha256: string; data: Binary }[];
          const bytes = Buffer.from(part?.data.buffer ?? []);
          bytes[at < 0 ? bytes.length + at : at] = (bytes.at(at) ?? 0) ^ 1;
          return { ...chunk, parts: [{ ...part, data: new Binary(bytes) }, ...others] };
        });
        expect(difference).to.include({ where: `archive ${second}`, field: 'parts' });
      }
    });

    it('a missing chunk', async () => {
      const [, second = ''] = await chunkIds();
      const difference = await found(collections.archive, second, () => undefined);
      expect(difference).to.include({ seq: 128, where: 'archive', expected: 'entries 128 to 255', found: 'entry 256 after 127' });
    });

    it('a missing last chunk, by what the snapshot and the owner have', async () => {
      const last = (await chunkIds()).at(-1) ?? '';
      const difference = await found(collections.archive, last, () => undefined);
      expect(difference).to.include({ seq: ENTRIES + 42, where: `accounts ${account}`, field: 'seq' });
    });

    it('a chunk twice', async () => {
      const [first = ''] = await chunkIds();
      const copy = {
        ...((await documents(collections.archive).findOne({ _id: first })) ?? expect.fail()),
        _id: `${first}+000000000000005`,
      };
      await documents(collections.archive).insertOne(copy);
      const { difference } = await dataOf('account', 'verify', account);
      await documents(collections.archive).deleteOne({ _id: copy._id });
      expect(difference).to.include({ seq: 1, where: `archive ${copy._id}`, field: '_id' });
    });

    it('entries of a chunk twice', async () => {
      const [first = ''] = await chunkIds();
      const difference = await found(collections.archive, first, (chunk) => ({
        ...chunk,
        parts: [...chunk['parts'], ...chunk['parts']],
      }));
      expect(difference).to.include({ where: `archive ${first}`, field: 'bytes' });
    });

    it('a changed balance in the stored snapshot', async () => {
      const difference = await found(collections.accounts, account, (document) => ({
        ...document,
        text: (document['text'] as string).replace(/"cash":"[^"]*"/, '"cash":"1000000"'),
      }));
      expect(difference).to.include({ seq: ENTRIES + 42, where: `accounts ${account}`, field: 'cash', found: '1000000' });
      expect(difference['expected']).to.match(/^\d+(\.\d+)?$/);
    });

    it('a missing snapshot of what the journal has no more, in all of them too', async () => {
      expect(await found(collections.accounts, account, () => undefined)).to.include({
        where: `accounts ${account}`,
        found: 'nothing',
      });
      const whole = (await documents(collections.accounts).findOne({ _id: account })) ?? expect.fail('no snapshot');
      await documents(collections.accounts).deleteOne({ _id: account });
      const all = await dataOf('account', 'verify', '--all');
      await documents(collections.accounts).insertOne(whole);
      expect(all.different.map((one: { account: string }) => one.account)).to.deep.equal([account]);
    });

    it('a changed state of the archive', async () => {
      const [state] = await documents(collections.archiveStates).find({ account }).toArray();
      const _id = state?._id ?? '';
      const difference = await found(collections.archiveStates, _id, (document) => ({ ...document, hash: 'h2:00' }));
      expect(difference).to.include({ where: `archiveStates ${_id}`, field: 'hash', found: 'h2:00' });
    });

    it('a missing history row', async () => {
      const buckets = await documents(collections.history).find({ account }).toArray();
      const { _id } = buckets.find((one) => one._id.includes(':orders:')) ?? expect.fail();
      const difference = await found(collections.history, _id, (document) => ({
        ...document,
        rows: (document['rows'] as string[]).toSpliced(10, 1),
      }));
      expect(difference).to.include({ where: `history ${_id}`, field: 'row 10', found: 'nothing' });
    });

    it('a changed history row, and a row of no entry', async () => {
      const all = await documents(collections.history).find({ account }).toArray();
      const { _id, rows } = all.find((one) => one._id.includes(':fills:')) ?? expect.fail();
      const changed = await found(collections.history, _id, (document) => ({
        ...document,
        rows: (rows as string[]).map((text, at) => (at === 3 ? text.replace(/"price":"[^"]*"/, '"price":"1"') : text)),
      }));
      expect(changed).to.include({ where: `history ${_id}`, found: '1' });
      expect(changed['field']).to.match(/^row 3\.row\..*price$/i);
      const more = await found(collections.history, _id, (document) => ({
        ...document,
        rows: [...(rows as string[]), (rows as string[])[0]?.replace(/"number":\d+/, '"number":200')],
      }));
      expect(more).to.include({ where: `history ${_id}`, field: 'row 200', expected: 'nothing' });
    });

    it('and nothing when all is as it was', async () => {
      expect(await dataOf('account', 'verify', account)).not.to.have.property('difference');
    });
  });

  describe('rebuild', () => {
    const stateOf = async () => {
      const reply = await gateway.send(account, { type: 'query', query: { kind: 'accountState' }, stateHash: true }, ask);
      if (reply.type !== 'answer') expect.fail(reply.type);
      return reply;
    };

    it('gives the account as of an entry, printed and as a file, and changes nothing', async () => {
      const newest = await dataOf('account', 'rebuild', account);
      const { seq, stateHash } = await stateOf();
      expect(newest).to.include({ seq, state_hash: stateHash, replaced: false });
      const out = join(dir, 'state.json');
      const earlier = await dataOf('account', 'rebuild', 'user_1', '--seq', '200', '--out', out);
      expect(earlier).to.include({ seq: 200, replaced: false });
      const written = JSON.parse(readFileSync(out, 'utf8'));
      expect(written).to.include({ seq: 200, state_hash: earlier.state_hash });
      expect(stateHashOf(fromSnapshot(JSON.stringify(written.snapshot)))).to.equal(earlier.state_hash);
      expect(await failure('account', 'rebuild', account, '--seq', '99999')).to.have.property('name', 'Refused');
      expect((await run('account', 'rebuild', account, '--seq', '200', '--replace')).lines.join('\n')).to.match(
        /Entries 201 to \d+ are given up[\s\S]*Nothing was done/,
      );
      expect((await stateOf()).stateHash).to.equal(stateHash);
    });

    it('has a live account go on from an earlier entry when that is meant; it trades on, and is whole', async () => {
      const { seq: last } = await stateOf();
      const asOf = await dataOf('account', 'rebuild', account, '--seq', '200');
      const { data, lines } = await run('account', 'rebuild', account, '--seq', '200', '--replace', '--yes');
      expect(data).to.include({ replaced: true });
      expect(lines.join('\n')).to.match(/the account answers[\s\S]*ada@example\.com/);
      const { seq, answer } = await stateOf();
      expect(seq).to.equal(last + 1);
      if (answer.kind !== 'accountState') expect.fail(answer.kind);
      expect(answer.state.positions).to.have.length(asOf.positions);
      await gateway.send(account, commands.place(), ask);
      const verified = await dataOf('account', 'verify', account);
      expect(verified).not.to.have.property('difference');
      expect(verified.verified.last).to.equal(last + 2);
      expect(await failure('account', 'rebuild', account, '--seq', '250')).to.match(
        /Entry 250 does not count: those from 201 to \d+ are given up/,
      );
      const [act] = await parts.billing.audit.page('user_1', { limit: 1 });
      expect(act).to.include({ action: 'account.rebuilt', actor: 'operator', detail: `as of entry 200 of ${last}` });
    });

    it('mends an account whose stored snapshot cannot be read, with all its entries', async () => {
      await until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0);
      const { seq, stateHash } = await stateOf();
      for (const pod of bench.pods) await bench.stopPod(pod);
      await documents(collections.accounts).updateOne({ _id: account }, { $set: { text: '{"v":1}' } });
      await bench.redis.del(shardKeys.kept(0));
      await bench.startOnlyPod();
      const refused = await gateway.send(account, commands.place(), ask).catch((error: RequestError) => error.code);
      expect(refused).to.equal('account_quarantined');
      expect((await dataOf('account', 'verify', account)).difference).to.include({ where: `accounts ${account}`, field: 'text' });
      expect(await dataOf('account', 'rebuild', account, '--replace', '--yes')).to.include({
        seq,
        state_hash: stateHash,
        replaced: true,
      });
      expect((await stateOf()).seq).to.equal(seq + 1);
      await gateway.send(account, commands.place(), ask);
      expect(await dataOf('account', 'verify', account)).not.to.have.property('difference');
    });
  });
});
