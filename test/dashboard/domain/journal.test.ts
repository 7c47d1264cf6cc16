// A journal's file as the dashboard reads it: each line that is not what was written is found, whatever it says.
import { expect } from 'chai';
import { exportEnd } from '../../../src/dashboard/domain/exportEnd.ts';
import { eventText, readJournalLine } from '../../../src/dashboard/domain/journalLine.ts';
import { readJournal } from '../../../src/dashboard/pages/journal/readJournal.ts';
import { ACCOUNT, journalText } from '../../support/journalText.ts';

const read = (text: string | Uint8Array<ArrayBuffer>) =>
  readJournal(new Blob([text]), new AbortController().signal, () => undefined);

describe('dashboard: a journal’s file', () => {
  const whole = journalText(200);
  const lines = whole.trimEnd().split('\n');

  it('is read to its end, with where its entries stand', async () => {
    const { facts, places, wrong } = await read(whole);
    expect(wrong).to.equal(undefined);
    expect(facts).to.include({
      account: ACCOUNT,
      lines: 202,
      entries: 200,
      fills: 100,
      lastSeq: 200,
      balance: '10000.0',
      isComplete: true,
    });
    expect(places['all entries']).to.have.length(400);
    expect(places.fills).to.have.length(200);
    const [at = 0, length = 0] = places['all entries'].slice(-2);
    expect(whole.slice(at, at + length)).to.equal(lines.at(-2));
  });

  it('any line that is changed, missing, doubled or elsewhere is the first wrong one', async () => {
    const wrongLine = async (changed: readonly string[]) => (await read(`${changed.join('\n')}\n`)).wrong?.line;
    for (const at of [0, 1, 57, 200, 201]) {
      const line = lines[at] ?? '';
      expect(await wrongLine(lines.with(at, line.replace(/.(?=[^"]*$)/, ' '))), `changed ${at}`).to.equal(at + 1);
      expect(await wrongLine(lines.toSpliced(at, 0, line)), `doubled ${at}`).to.equal(at + 2);
      expect(await wrongLine(lines.toSpliced(at, 1)), `missing ${at}`).to.equal(at + 1);
    }
    expect(await wrongLine(lines.with(5, lines[6] ?? '').with(6, lines[5] ?? ''))).to.equal(6);
  });

  it('a file that was cut, is empty, or is none says so, and what is before is there', async () => {
    expect((await read('')).wrong?.line).to.equal(1);
    expect((await read(whole.slice(0, -1))).wrong?.line).to.equal(202);
    const cut = await read(whole.slice(0, whole.indexOf('\n', 9000) + 20));
    expect(cut.places['all entries'].length).to.be.greaterThan(0);
    expect(cut.wrong?.line).to.equal(cut.facts.lines);
    for (const text of [
      '\n',
      '{}\n',
      '[]\n',
      'null\n',
      '{"hash":1}\n',
      `${'x'.repeat(100)}\n`,
      '{"hash":"',
      `${'['.repeat(50_000)}\n`,
    ])
      expect((await read(text)).wrong?.line, text.slice(0, 20)).to.equal(1);
    const bytes = new TextEncoder().encode(whole);
    bytes[500] = 0xff;
    expect((await read(bytes)).wrong?.line).to.be.lessThan(4);
  });

  it('a chain that was made anew around nonsense is no journal', async () => {
    for (const entry of [
      ...[{ accountId: '0xother' }, { seq: 7 }, { seq: '1' }, { events: {} }, { events: [1] }, { events: [{ type: 7 }] }],
      ...[
        { timeMs: 1e300 },
        { timeMs: -1 },
        { equity: [] },
        { equity: { balance: 1 } },
        { equity: { balance: '1'.repeat(1_001) } },
      ],
    ])
      expect((await read(journalText(3, (seq) => (seq === 1 ? entry : {})))).wrong?.line, JSON.stringify(entry)).to.equal(2);
  });

  it('is stopped when that is asked', async () => {
    const stop = new AbortController();
    stop.abort();
    const failure = await readJournal(new Blob([whole]), stop.signal, () => undefined).catch((error: Error) => error.name);
    expect(failure).to.equal('AbortError');
  });

  it('events are told in words, those of other builds by their fields', () => {
    const [, , fill = ''] = lines;
    const { events } = readJournalLine(fill) as { readonly events?: readonly { readonly type: string }[] };
    expect(events?.map(eventText)).to.deep.equal(['Filled buy 0.01 BTC at 60000, taker, fee 0.27, order 2']);
    expect(eventText({ type: 'moonReached', heightKm: 3, why: null, note: {} })).to.equal('Moon reached: height km 3');
    const order = { side: 'buy', originalSize: '1', coin: 'ETH', limitPrice: '3000', filledSize: '0', oid: 5 };
    expect(eventText({ type: 'orderEnded', order, status: 'canceled' })).to.equal(
      'Order ended: buy 1 ETH at 3000, filled 0, order 5, canceled',
    );
    expect(eventText({ type: 'x'.repeat(1000) }).length).to.be.lessThan(70);
  });
});

const HASH = 'ab'.repeat(32);

describe('the end of an export’s file', () => {
  const whole = [
    { format: 'jsonl', tail: '{"fill":1}\n{"end":{"complete":true,"rows":12,"next":"7"}}\n' },
    { format: 'jsonl', tail: `{"hash":"${HASH}","entry":{}}\n{"hash":"${HASH}","end":{"complete":true,"rows":12}}\n` },
    { format: 'csv', tail: 'a,b\r\nend,complete,12,7,1,,\r\n' },
  ] as const;
  const missing = [
    {
      format: 'jsonl',
      tail: '{"end":{"complete":false,"rows":3,"error":{"code":"seq_forgotten","detail":"Rows are gone."}}}\n',
      why: /^The rest is missing: Rows are gone\.$/,
    },
    { format: 'csv', tail: 'a,b\r\nend,seq_forgotten,3,7,1\r\n', why: /^The rest is missing: seq_forgotten\.$/ },
    { format: 'jsonl', tail: '{"fill":1}\n', why: /broke off/ },
    { format: 'jsonl', tail: '{"name":"\\"end\\":{\\"complete\\":true"}\n', why: /broke off/ },
    { format: 'jsonl', tail: '{"end":{"complete":true,"rows":12}}', why: /broke off/ },
    { format: 'csv', tail: 'end,complete,12', why: /broke off/ },
    { format: 'csv', tail: 'x,complete,12\r\n', why: /broke off/ },
    { format: 'csv', tail: '', why: /broke off/ },
  ] as const;

  for (const { format, tail } of whole)
    it(`${format} is whole, with its rows: ${tail.slice(-40).trim()}`, () => {
      expect(exportEnd(tail, format)).to.deep.equal({ rows: 12 });
    });

  for (const { format, tail, why } of missing)
    it(`${format} is not whole: ${JSON.stringify(tail.slice(0, 60))}`, () => {
      expect(exportEnd(tail, format)).to.have.property('why').that.matches(why);
    });
});
