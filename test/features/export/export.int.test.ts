// Exports of an account that a real pod owns, on real stores: archived entries, and entries that only the owner has. The owner,
// MongoDB or the account's history goes away in the middle.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { emptyAccount } from '../../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { readEntry } from '../../../src/actors/core/messages/entry.ts';
import { type NewState, writeStates } from '../../../src/actors/engine/journal/archiveStates.ts';
import { HeldBytes } from '../../../src/api/access/limits/heldBytes.ts';
import { ReadingTurns } from '../../../src/api/access/limits/readingTurns.ts';
import { createSeldomLog } from '../../../src/api/access/limits/seldomLog.ts';
import type { AccountGateway } from '../../../src/api/accounts/accountGateway.ts';
import { HistoryReader } from '../../../src/api/accounts/historyReader.ts';
import type { Call } from '../../../src/api/accounts/services.ts';
import { toRequestError } from '../../../src/api/http/answers.ts';
import type { RowKind } from '../../../src/features/export/exportedRows.ts';
import { exportJournal } from '../../../src/features/export/journalExport.ts';
import { exportRows, type RowFormat } from '../../../src/features/export/rowExport.ts';
import { type ExportLines, sentLines } from '../../../src/features/export/sentLines.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { verifyLines } from '../../../src/operators/archive/verifyJournal.ts';
import { stateId } from '../../../src/shared/archive/archiveForm.ts';
import { ArchiveReader } from '../../../src/shared/archive/archiveReader.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../../support/actorBench.ts';
import { until } from '../../support/until.ts';

const PYTHON = fileURLToPath(new URL('../../../tools/verify/verify_journal.py', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../docs/export.md', import.meta.url));
const TRADES = 300;

describe('export of an account', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: AccountGateway;
  const [account, other] = [accountName(1), accountName(2)];
  const dir = mkdtempSync(join(tmpdir(), 'paper-export-'));
  const callOf = (accountId: string): Call => ({
    ...{ requestId: 'r', receivedAtMs: 0 },
    caller: { userId: 'user_1', accountId, address: accountId, master: accountId, plan: 'basic', keyId: '' },
  });
  const send = (command: AccountCommand, accountId = account) => gateway.send(accountId, command, { requestId: 'r' });
  const trade = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => send(i % 2 ? commands.place() : commands.rest('60000'))));
  const journal = (from?: { seq: number; hash: string }, format?: RowFormat) =>
    exportJournal({ services: { gateway }, mongo: bench.mongo, call: callOf(account) }, from, format);
  const rows = (kind: RowKind, from?: string, format: RowFormat = 'jsonl') =>
    exportRows(new HistoryReader({ gateway, mongo: bench.mongo }), callOf(account), { kind, format, from });
  const codeOf = (made: Promise<unknown>): Promise<string> =>
    made.then(
      () => 'none',
      (error: unknown) => (error instanceof RequestError ? error.code : String(error)),
    );
  const held = () => new HeldBytes(bench.config);
  const failures = () => ({ log: bench.log, seldom: createSeldomLog(bench.log, Date.now) });
  const sent = (lines: ExportLines, counted = held()) =>
    sentLines(lines, {
      ...{
        turns: new ReadingTurns({ atOnce: 1, atOnceOfUser: 1, waiting: 1, waitingOfUser: 1 }),
        userId: 'user_1',
        held: counted,
      },
      ...{ holder: { subject: 'user:user_1', isKnown: true }, readingMsMax: 60_000 },
      ...{ onStuck: () => undefined, onEnd: () => undefined },
      toFailure: (error) => toRequestError(error, failures(), { requestId: 'r' }),
    });
  const allOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  const textOf = async (lines: ExportLines): Promise<string> => allOf(await sent(lines));
  const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
  // biome-ignore lint/suspicious/noExplicitAny: lines are what a client sees
  const parsed = (text: string): any[] => linesOf(text).map((line) => JSON.parse(line));
  const byPython = (text: string): string => {
    const file = join(dir, 'journal.jsonl');
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync('python3', ['-B', PYTHON, file], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    return stdout;
  };

  /** The output and the end of the command of docs/export.md on a CSV file. */
  const linesOfCsv = (csv: string) => {
    const command = /\n(python3 -X utf8 -c '[^']*') < journal\.csv/.exec(readFileSync(DOCS, 'utf8'))?.[1] ?? 'false';
    const { status, stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8', input: csv });
    return { status, text: stdout };
  };

  /** The archive where entries before `seq` are not kept, or entries behind `after` do not count. */
  const keepState = async (of: Pick<NewState, 'seq' | 'after' | 'reason'>): Promise<string> => {
    let state = emptyAccount(account);
    for await (const { text } of new ArchiveReader(bench.mongo, account).entries(1, of.seq))
      state = applyEntry(state, readEntry(text));
    expect(state.seq, 'archived').to.equal(of.seq);
    const text = toSnapshot(state, NEWEST_FORMAT);
    await writeStates({ mongo: bench.mongo, shard: 0, format: NEWEST_FORMAT }, [{ ...of, accountId: account, text }]);
    return stateId(account, of.seq, of.reason);
  };
  const forgetState = (_id: string) => bench.mongo.db.collection<{ _id: string }>(collections.archiveStates).deleteOne({ _id });

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400' });
    await bench.startOnlyPod();
    gateway = await bench.startNodeGateway();
    for (const accountId of [account, other]) await send(commands.open, accountId);
    await send({ type: 'createSubAccount', name: 'grid', limit: 10 });
    await send({ type: 'updateLeverage', asset: 0, marginMode: 'isolated', leverage: 5 });
    for (let i = 0; i < TRADES; i += 50) await trade(50);
    await send(commands.place({ side: 'sell', limitPrice: '64000', size: '0.01', reduceOnly: true }));
    await send({ type: 'sendTransfer', to: other, usd: '12.5' });
    // Its shard delivers it some seconds later: after that nothing comes by itself.
    await until(async () => {
      const outcome = await gateway.send(account, { type: 'query', query: { kind: 'groupMember' } }, { requestId: 'r' });
      const answer = outcome.type === 'answer' && outcome.answer.kind === 'groupMember' ? outcome.answer : undefined;
      return answer?.transfers.every(({ underWay }) => underWay.length === 0) === true;
    });
    await until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0);
  });
  after(async () => {
    rmSync(dir, { recursive: true });
    await bench.stop();
  });

  it('a journal is whole up to its newest entry, archived or not, to both programs', async () => {
    const archived = (await bench.mongo.db.collection(collections.archive).countDocuments({ account })) > 0;
    expect(archived).to.equal(true);
    await trade(20);
    const text = await textOf(await journal());
    const [head, ...rest] = parsed(text);
    expect(head.head).to.include({ form: 'perpx journal', version: 1, account, begins: 1, state: null });
    const { seq, stateHash } = (await gateway.send(
      account,
      { type: 'query', query: { kind: 'summary' }, stateHash: true },
      { requestId: 'r' },
    )) as {
      seq: number;
      stateHash: string;
    };
    expect(rest.at(-1).end).to.include({ complete: true, last_seq: seq, rows: seq, state_hash: stateHash });
    const verified = await verifyLines([Buffer.from(text)]);
    expect(verified).to.include({ account, entries: seq, state_hash: stateHash, breaks: 0 });
    expect(Number(/balance_usd (\S+)/.exec(byPython(text))?.[1])).to.equal(Number(verified.balance_usd));
  });

  it('goes on where it was cut: the union is byte by byte the whole', async () => {
    const whole = linesOf(await textOf(await journal()));
    const entries = whole.length - 2;
    for (const cut of [1, 2, Math.floor(entries / 2), entries - 1, entries]) {
      const part = linesOf(await textOf(await journal({ seq: cut + 1, hash: (whole[cut] as string).slice(9, 73) })));
      const end = JSON.parse(part.at(-1) as string).end;
      expect(part.slice(1, -1)).to.deep.equal(whole.slice(cut + 1, -1));
      expect(end).to.include({ complete: true, rows: entries - cut });
      const union = [...whole.slice(0, cut + 1), ...part].map((line) => `${line}\n`).join('');
      expect(await verifyLines([Buffer.from(union)])).to.include({ entries });
      byPython(union);
    }
    expect(await codeOf(journal({ seq: entries + 2, hash: '0'.repeat(64) }))).to.equal('unknown_seq');
  });

  it('as CSV it has the same lines byte by byte, and goes on behind each of its records', async () => {
    const whole = await textOf(await journal());
    const csv = await textOf(await journal(undefined, 'csv'));
    expect(linesOfCsv(csv)).to.deep.equal({ status: 0, text: whole });
    const [header, ...records] = csv.split('\r\n').slice(0, -1);
    expect(header).to.equal('next,hash,kind,seq,time,line');
    const lines = linesOf(whole);
    expect(records).to.have.length(lines.length);
    const [head, first, ...rest] = lines.map((line) => JSON.parse(line));
    expect(records[0]).to.match(new RegExp(`^1,${head.hash},head,,,"\\{""hash"":`));
    const time = new Date(first.entry.timeMs).toISOString();
    expect(records[1]?.startsWith(`2,${first.hash},entry,1,${time},"{""hash"":""${first.hash}"",`)).to.equal(true);
    const { end } = rest.at(-1);
    expect(records.at(-1)?.startsWith(`end,complete,${end.rows},${end.next},1,"{`)).to.equal(true);
    for (const cut of [0, Math.floor(end.rows / 2), end.rows]) {
      const [next, hash = ''] = (records[cut] as string).split(',');
      const part = await textOf(await journal({ seq: Number(next), hash }, 'csv'));
      expect(part.split('\r\n')[1]?.startsWith(`${next},${hash},head,,,"`), 'the head of a part goes on where it does').to.equal(
        true,
      );
      const union = linesOfCsv(`${[header, ...records.slice(0, cut + 1)].join('\r\n')}\r\n${part}`);
      expect(union.status).to.equal(0);
      expect(await verifyLines([Buffer.from(union.text)])).to.include({ entries: end.rows });
      byPython(union.text);
    }
    // Cut in the middle of a record: the command fails, and what it has taken out until then is not whole.
    const broken = linesOfCsv(csv.slice(0, -20));
    expect([broken.status, broken.text]).to.deep.equal([1, `${lines.slice(0, -1).join('\n')}\n`]);
    const wrong = await verifyLines([Buffer.from(broken.text)]).catch((error: Error) => error.message);
    expect(wrong).to.match(/the file ends before the journal does/);
  });

  it('one that begins with the oldest state that is kept says which', async () => {
    const chunks = bench.mongo.db.collection<{ _id: string; account: string; lastSeq: number }>(collections.archive);
    // Behind the first chunk, which is then removed as the plan's history removes it.
    const state = await keepState({ seq: 150, after: 150, reason: 'rebuilt' });
    const removed = await chunks.find({ account, lastSeq: { $lte: 150 } }).toArray();
    const first = Math.max(...removed.map(({ lastSeq }) => lastSeq)) + 1;
    expect(first).to.be.within(2, 150);
    await chunks.deleteMany({ _id: { $in: removed.map(({ _id }) => _id) } });
    // A state that the owner put there between them would be the oldest.
    await bench.mongo.db.collection(collections.archiveStates).deleteMany({ account, seq: { $gte: first - 1, $lt: 150 } });
    const text = await textOf(await journal());
    const [{ head }, ...rest] = parsed(text);
    expect(head).to.include({ begins: 151 });
    expect(head.state.seq).to.equal(150);
    expect(rest.at(-1).end).to.include({ complete: true, rows: rest.at(-1).end.last_seq - 150 });
    await verifyLines([Buffer.from(text)]);
    byPython(text);
    const hash = '0'.repeat(64);
    for (const seq of [1, 149, 150]) expect(await codeOf(journal({ seq, hash })), String(seq)).to.equal('seq_forgotten');
    const [line, ...after] = linesOf(text);
    const part = linesOf(await textOf(await journal({ seq: 151, hash: (line as string).slice(9, 73) })));
    expect(part.slice(1, -1)).to.deep.equal(after.slice(0, -1));
    await chunks.insertMany(removed);
    await forgetState(state);
  });

  it('entries that do not count are a state in their place, from which both programs go on', async () => {
    const state = await keepState({ seq: 220, after: 200, reason: 'entriesGivenUp' });
    const whole = linesOf(await textOf(await journal()));
    const lines = whole.map((line) => JSON.parse(line));
    expect(lines[200].entry.seq).to.equal(200);
    expect(lines[201].state).to.deep.include({ seq: 220, after: 200, reason: 'entriesGivenUp' });
    expect(lines[201].state.snapshot.seq).to.equal(220);
    expect(lines[202].entry.seq).to.equal(221);
    const { end } = lines.at(-1);
    expect(end).to.include({ complete: true, rows: end.last_seq - 20 });
    const text = whole.map((line) => `${line}\n`).join('');
    expect(await verifyLines([Buffer.from(text)])).to.include({ breaks: 1, entries: end.rows });
    byPython(text);
    const csv = await textOf(await journal(undefined, 'csv'));
    expect(linesOfCsv(csv).text).to.equal(text);
    expect(csv.split('\r\n')[202]).to.match(/^221,[0-9a-f]{64},state,220,\d{4}-[\dT:.-]+Z,"\{/);
    // It goes on before the break, and behind it; the part that has the break has it whole.
    for (const [cut, seq] of [[200, 201] as const, [201, 221] as const]) {
      const part = linesOf(await textOf(await journal({ seq, hash: (whole[cut] as string).slice(9, 73) })));
      expect(part.slice(1, -1)).to.deep.equal(whole.slice(cut + 1, -1));
      const union = [...whole.slice(0, cut + 1), ...part].map((line) => `${line}\n`).join('');
      expect(await verifyLines([Buffer.from(union)])).to.include({ breaks: 1, entries: end.rows });
      byPython(union);
    }
    // A file whose break names another state is not what was written.
    const changed = text.replace('"reason":"entriesGivenUp"', '"reason":"entriesGivenUq"');
    expect(await verifyLines([Buffer.from(changed)]).catch((error: Error) => error.message)).to.match(/^Line 202/);
    await forgetState(state);
  });

  it('rows of each kind are those of the history, and go on after any of them', async () => {
    for (const kind of ['fills', 'orders', 'funding', 'ledger', 'equity'] as const) {
      const lines = parsed(await textOf(await rows(kind)));
      const [head, ...rest] = lines;
      const end = rest.pop().end;
      expect(head.head).to.include({ form: `perpx ${kind}`, version: 1, account });
      expect(end).to.include({ complete: true, rows: rest.length });
      const kept = await new HistoryReader({ gateway, mongo: bench.mongo }).latest(
        { requestId: 'r', accountId: account },
        kind,
        10_000,
      );
      expect(rest.length).to.equal(kept.length);
      expect(rest.map(({ time }) => Date.parse(time))).to.deep.equal(kept.map(({ row }) => row.timeMs).toReversed());
      for (const cut of [0, Math.floor(rest.length / 2), rest.length - 1].filter((at) => at >= 0 && at < rest.length)) {
        const more = parsed(await textOf(await rows(kind, rest[cut].next)));
        expect(more.slice(1, -1)).to.deep.equal(rest.slice(cut + 1));
      }
      expect(await codeOf(rows(kind, '999999'))).to.equal('invalid_cursor');
    }
    expect(parsed(await textOf(await rows('fills'))).length).to.be.above(TRADES / 2);
  });

  it('CSV has the same rows, a header, and a last record that says that it is whole', async () => {
    const objects = parsed(await textOf(await rows('ledger'))).slice(1, -1);
    const records = (await textOf(await rows('ledger', undefined, 'csv'))).split('\r\n');
    expect(records.shift()).to.equal('next,time,type,usd,with,number,margin_mode,notional,account_value,positions');
    expect(records.pop()).to.equal('');
    expect(records.pop()).to.equal(`end,complete,${objects.length},${objects.at(-1).next},0,,,,,`);
    expect(records).to.deep.equal(
      objects.map((row) =>
        Object.values(row)
          .map((value) => value ?? '')
          .join(','),
      ),
    );
  });

  it('memory is one piece, and is given back when the client goes', async () => {
    const counted = held();
    const body = await sent(await journal(), counted);
    const reading = body[Symbol.asyncIterator]();
    await reading.next();
    expect(counted.total).to.be.within(0, 512 * 1024);
    body.destroy();
    await until(() => counted.total === 0);
  });

  it('the owner goes in the middle: another one gives the rest, byte by byte', async () => {
    const whole = await textOf(await journal());
    const lines = await journal();
    const pieces = [(await lines.pieces.next()).value as string];
    const [pod] = bench.pods;
    if (pod === undefined) throw new Error('no pod');
    await bench.stopPod(pod);
    await bench.startOnlyPod({ nodeId: 'next' });
    for await (const piece of lines.pieces) pieces.push(piece);
    expect(pieces.join('') + lines.end()).to.equal(whole);
  });

  it('a reset in the middle ends an export of rows and says so; a journal goes on over it', async () => {
    const before = await journal();
    // The first line is there, and no row yet.
    const body = await sent(await rows('orders'));
    await send({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    const { end } = parsed(await allOf(body)).at(-1);
    expect(end).to.deep.include({ complete: false, rows: 0 });
    expect(end.error.code).to.equal('seq_forgotten');
    expect(await codeOf(rows('orders', end.next))).to.equal('seq_forgotten');
    await verifyLines([Buffer.from(await textOf(before))]);
    await trade(4);
    const anew = parsed(await textOf(await rows('orders')));
    expect(anew.at(-1).end).to.include({ complete: true, rows: anew.length - 2 });
    const after = await textOf(await journal());
    expect(await verifyLines([Buffer.from(after)])).to.include({ breaks: 0 });
    byPython(after);
  });

  it('in parts that end around each border of the archive, while it trades, is reset, and is owned by others: one journal', async () => {
    const [union, next] = [[] as string[], { seq: 1, hash: '' }];
    const firstNode = bench.pods.length;
    let restarts = 0;
    const meanwhile = [
      () => trade(2),
      () => send({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' }),
      async () => {
        const [pod] = bench.pods;
        if (pod !== undefined) await bench.stopPod(pod);
        restarts += 1;
        await bench.startOnlyPod({ nodeId: `after ${firstNode} ${restarts}` });
      },
      () => until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0),
    ];
    const borders = [1, 127, 128, 129, 255, 256, 257];
    for (const [i, border] of borders.entries()) {
      const part = await journal(next.seq === 1 ? undefined : next);
      const under: string[] = [];
      for (let piece = await part.pieces.next(); piece.done !== true; piece = await part.pieces.next()) {
        under.push(...linesOf(piece.value));
        if (under.length > border - next.seq + 1) break;
        await meanwhile[i % meanwhile.length]?.();
      }
      await part.pieces.return();
      union.push(...under.slice(0, border - next.seq + 2));
      const last = JSON.parse(union.at(-1) ?? '');
      expect(last.entry.seq).to.equal(border);
      Object.assign(next, { seq: border + 1, hash: last.hash });
      await meanwhile[i % meanwhile.length]?.();
    }
    expect(restarts).to.be.above(0);
    union.push(...linesOf(await textOf(await journal(next))));
    const text = union.map((line) => `${line}\n`).join('');
    const { end } = JSON.parse(union.at(-1) ?? '');
    expect(end).to.include({ complete: true, rows: end.last_seq - 257 });
    expect(await verifyLines([Buffer.from(text)])).to.include({ entries: end.last_seq, breaks: 0, state_hash: end.state_hash });
    byPython(text);
    // Behind the hashes: the first line names the newest entry of then, so the chain is another one.
    const bodies = (lines: readonly string[]) => lines.slice(1, -1).map((line) => line.slice(76));
    const whole = linesOf(await textOf(await journal()));
    expect(bodies(union.filter((line) => !line.includes('"continues":')))).to.deep.equal(bodies(whole));
    await trade(2);
  });

  it('MongoDB goes away in the middle: the last line says so, and where to go on; before the first line nothing is sent', async () => {
    await until(async () => (await bench.redis.xlen(shardKeys.journal(0))) === 0);
    // The beginning of the journal's part is read when its turn comes: MongoDB is gone then.
    const { seq } = await gateway
      .send(account, { type: 'query', query: { kind: 'summary' } }, { requestId: 'r' })
      .then((outcome) => outcome as { seq: number });
    await keepState({ seq: seq - 2, after: seq - 4, reason: 'entriesGivenUp' });
    const [body, begun, lines] = [await sent(await rows('orders')), await sent(await journal()), await journal()];
    const inCsv = await sent(await journal(undefined, 'csv'));
    await bench.mongoStore.kill();
    const journalText = await allOf(begun);
    const told = parsed(journalText);
    const { end } = told.at(-1);
    // All entries up to its end are there: a reader that goes on behind it misses nothing.
    expect([told.at(-2).entry.seq, end.rows]).to.deep.equal([end.last_seq, told.length - 2]);
    expect(end).to.include({ complete: false, last_seq: seq - 4, next: seq - 3 });
    expect(end.error.code).to.equal('store_unavailable');
    expect(await verifyLines([Buffer.from(journalText)]).catch((error: Error) => error.message)).to.match(/complete/);
    const record = (await allOf(inCsv)).split('\r\n').at(-2);
    expect(record?.startsWith(`end,store_unavailable,${end.rows},${end.next},1,"{`), record).to.equal(true);
    const [head, ...rest] = parsed(await allOf(body));
    expect(rest).to.have.lengthOf(1);
    expect(rest[0].end).to.deep.include({ complete: false, rows: 0, next: head.head.from });
    expect(rest[0].end.error.code).to.equal('store_unavailable');
    const failed = await sent(lines).catch((error: unknown) => error);
    expect(toRequestError(failed, failures(), { requestId: 'r' })).to.include({ status: 503, code: 'store_unavailable' });
  });
});
