// Two programs judge exported journals: ours, which folds the whole state, and a program of Python's standard library alone, which
// shares no code.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { readEntry } from '../../../src/actors/core/messages/entry.ts';
import { readJournal } from '../../../src/dashboard/pages/journal/readJournal.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { verifyJournal, verifyLines, WrongLine } from '../../../src/operators/archive/verifyJournal.ts';
import { JOURNAL_FORM, JOURNAL_VERSION, readLine } from '../../../src/shared/archive/journalFile.ts';
import { FORMS_LINE, NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { chained, goldenJournals, journalLines } from '../../support/journalFiles.ts';

const PYTHON = fileURLToPath(new URL('../../../tools/verify/verify_journal.py', import.meta.url));
const lives = goldenJournals();

/** The first wrong line; undefined = none. */
const wrongLine = async (text: string | Buffer): Promise<number | undefined> => {
  try {
    await verifyLines([Buffer.from(text)]);
    return undefined;
  } catch (error) {
    if (error instanceof WrongLine) return error.line;
    throw error;
  }
};

const lineAt = (file: Buffer, at: number): number => file.subarray(0, at).toString('latin1').split('\n').length;

describe('verify: an exported journal is what was written, or the first wrong line is named', function () {
  this.timeout(600_000);
  const dir = mkdtempSync(join(tmpdir(), 'paper-journal-'));
  after(() => rmSync(dir, { recursive: true }));

  const file = (name: string, text: string | Buffer): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  /** First wrong lines of several files by the Python program, in one process; undefined = none. */
  const byPython = (files: readonly (string | Buffer)[]): (number | undefined)[] => {
    const paths = files.map((text, i) => file(`p${i}`, text));
    const script = `import sys; sys.path.insert(0, ${JSON.stringify(join(PYTHON, '..'))})
from verify_journal import verify
for path in sys.argv[1:]: print(verify(open(path, "rb").read())[0])`;
    const { status, stdout, stderr } = spawnSync('python3', ['-B', '-c', script, ...paths], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => (line === 'None' ? undefined : Number(/^line (\d+)/.exec(line)?.[1])));
  };

  it('journals with every kind of event are whole, to both', async () => {
    const events = new Set(lives.flatMap(({ texts }) => texts.flatMap((text) => readEntry(text).events.map(({ type }) => type))));
    for (const type of [
      'orderFilled',
      'fundingSettled',
      'liquidated',
      'positionTakenOver',
      'accountReset',
      'transferSent',
      'transferReceived',
      'subAccountCreated',
      'forked',
      'commandMirrored',
      'mirrorReceived',
    ] as const)
      expect(events.has(type), type).to.equal(true);
    const files = lives.map(({ texts }) => journalLines(texts).join(''));
    for (const text of files) expect(await wrongLine(text)).to.equal(undefined);
    expect(byPython(files)).to.deep.equal(files.map(() => undefined));
  });

  it('one that begins with a kept state is, too', async () => {
    const files = lives.flatMap(({ texts }) => {
      const middle = Math.floor(texts.length / 2);
      const account = texts
        .slice(0, middle)
        .map(readEntry)
        .reduce(applyEntry, emptyAccount(readEntry(texts[0] ?? '').accountId));
      const text = toSnapshot(account, NEWEST_FORMAT);
      return [journalLines(texts.slice(middle), { text, account: fromSnapshot(text) }).join('')];
    });
    for (const text of files) expect(await wrongLine(text)).to.equal(undefined);
    expect(byPython(files)).to.deep.equal(files.map(() => undefined));
  });

  it('any flipped bit is found, in the line that it is in', async () => {
    const damaged: [Buffer, number][] = [];
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 7 }), async (life, place, bit) => {
        const whole = Buffer.from(journalLines(lives[life % lives.length]?.texts.slice(0, 40) ?? []).join(''));
        const at = place % whole.length;
        const other = Buffer.from(whole);
        other[at] = (other[at] as number) ^ (1 << bit);
        expect(await wrongLine(other)).to.equal(lineAt(whole, at));
        damaged.push([other, lineAt(whole, at)]);
      }),
      { numRuns: 300 },
    );
    expect(byPython(damaged.map(([text]) => text))).to.deep.equal(damaged.map(([, line]) => line));
  });

  it('no byte of a short one can be another one, be missing, or be there twice', async () => {
    const whole = Buffer.from(journalLines(lives[0]?.texts.slice(0, 1) ?? []).join(''));
    const places = Array.from(whole, (byte, at) => ({ byte, at, line: lineAt(whole, at) }));
    for (const { byte, at, line } of places) {
      const other = Buffer.from(whole);
      other[at] = byte ^ 1;
      expect(await wrongLine(other), `byte ${at}`).to.equal(line);
      const [before, after] = [whole.subarray(0, at), whole.subarray(at + 1)];
      expect(await wrongLine(Buffer.concat([before, after])), `without byte ${at}`).to.equal(line);
      const twice = await wrongLine(Buffer.concat([before, Buffer.from([byte, byte]), after]));
      // A newline twice is an empty line behind it.
      expect(twice, `byte ${at} twice`).to.equal(byte === 10 ? line + 1 : line);
    }
    const script = `import sys; sys.path.insert(0, ${JSON.stringify(join(PYTHON, '..'))})
from verify_journal import verify
whole = open(sys.argv[1], "rb").read()
for at in range(len(whole)):
    one, line = whole[at:at + 1], whole[:at].count(b"\\n") + 1
    changed = (bytes([one[0] ^ 1]), line), (b"", line), (one + one, line + (one == b"\\n"))
    for there, want in changed:
        found = verify(whole[:at] + there + whole[at + 1:])[0]
        if not (found or "").startswith(f"line {want}:"): sys.exit(f"byte {at}, {there}: {found}")
print(len(whole))`;
    const { status, stdout, stderr } = spawnSync('python3', ['-B', '-c', script, file('short', whole)], { encoding: 'utf8' });
    expect([status, stdout, stderr]).to.deep.equal([0, `${whole.length}\n`, '']);
  });

  it('missing, doubled and exchanged lines and a cut end are found', async () => {
    const lines = journalLines(lives.find(({ name }) => name === 'life-group.json')?.texts ?? []);
    const cases: { text: string; want: number }[] = lines.flatMap((line, i) => [
      { text: lines.toSpliced(i, 1).join(''), want: i + 1 },
      { text: lines.toSpliced(i, 0, line).join(''), want: i + 2 },
      {
        text: lines
          .with(i, lines.at(i - 1) ?? '')
          .with(i - 1, line)
          .join(''),
        want: i === 0 ? 1 : i,
      },
      { text: lines.slice(0, i).join('') + line.slice(0, -1), want: i + 1 },
      { text: lines.slice(0, i).join('') + line.slice(0, line.length / 2), want: i + 1 },
    ]);
    cases.push({ text: '', want: 1 }, { text: `${lines.join('')}\n`, want: lines.length + 1 });
    for (const { text, want } of cases) expect(await wrongLine(text)).to.equal(want);
    expect(byPython(cases.map(({ text }) => text))).to.deep.equal(cases.map(({ want }) => want));
  });

  it('a changed event is found where someone has made the whole chain anew', async () => {
    const texts = lives.find(({ name }) => name === 'life-takenOver.json')?.texts ?? [];
    const forged = forgedOf(texts, (text) => text.replace('"fee":"29.25045"', '"fee":"28.25045"'));
    const at = texts.findIndex((text) => text.includes('"fee":"29.25045"')) + 2;
    for (const line of [await wrongLine(forged), ...byPython([forged])]) expect(line).to.be.at.least(at);
  });

  it('so is a changed state that a fork begins with, and what it is said to be worth', async () => {
    for (const name of ['life-fork.json', 'life-whatIf.json']) {
      const texts = lives.find((life) => life.name === name)?.texts ?? [];
      const { cash } = JSON.parse(texts[0] ?? '').events[0].state;
      const withMoreCash = forgedOf(texts, (text) => text.replace(`"cash":"${cash}"`, `"cash":"1${cash}"`));
      const ofAnother = forgedOf(texts, (text) => text.replace('"hash":"h', '"hash":"i'));
      for (const forged of [withMoreCash, ofAnother]) expect(await wrongLine(forged), name).to.equal(2);
      expect(byPython([withMoreCash])[0], name).to.be.a('number');
    }
  });

  /** The journal with changed entries, and its whole chain made again. */
  function forgedOf(texts: readonly string[], change: (text: string) => string): string {
    const changed = texts.map(change);
    expect(changed).not.to.deep.equal(texts);
    let entries = 0;
    const parts = journalLines(texts).map((line) => {
      const { kind, text } = readLine(Buffer.from(line.trimEnd()));
      return [kind, kind === 'entry' ? (changed[entries++] as string) : text] as const;
    });
    return chained(parts).join('');
  }

  it('parts go on from the line before them, after a cut and after an end that says so', async () => {
    const texts = lives.find(({ name }) => name === 'life-group.json')?.texts ?? [];
    const lines = journalLines(texts);
    const [account, hashes] = [readEntry(texts[0] ?? '').accountId, lines.map((line) => line.slice(9, 73))];
    for (let cut = 1; cut < lines.length - 1; cut++) {
      const hash = hashes[cut] as string;
      const head = {
        form: JOURNAL_FORM,
        version: JOURNAL_VERSION,
        forms: FORMS_LINE,
        account,
        continues: { after_seq: cut, hash },
      };
      const [part] = chained([['head', JSON.stringify(head)]], hash);
      const rest = texts.slice(cut);
      const endText = JSON.stringify({ ...JSON.parse((lines.at(-1) ?? '').slice(81, -2)), rows: rest.length });
      const more = chained([...rest.map((text) => ['entry', text] as const), ['end', endText]], hash);
      const [broken] = chained([['end', JSON.stringify({ complete: false, rows: cut, last_seq: cut })]], hash);
      const begun = lines.slice(0, cut + 1).join('');
      const whole = [begun + part + more.join(''), begun + broken + part + more.join('')];
      for (const text of whole) expect(await wrongLine(text)).to.equal(undefined);
      const doubled = begun + part + part + more.join('');
      expect(await wrongLine(doubled), 'a part that begins twice').to.equal(cut + 3);
      expect(await wrongLine(begun + broken)).to.equal(cut + 3);
      expect(await wrongLine(begun + broken + more.join(''))).to.equal(cut + 3);
      if (cut === 3)
        expect(byPython([...whole, doubled, begun + broken, begun + broken + more.join('')])).to.deep.equal([
          undefined,
          undefined,
          cut + 3,
          cut + 3,
          cut + 3,
        ]);
    }
  });

  it('one of an unreleased build is refused for its first line, however whole its chain is', async () => {
    const parts = journalLines(lives.find(({ name }) => name === 'life-group.json')?.texts ?? []).map((line) => {
      const { kind, text } = readLine(Buffer.from(line.trimEnd()));
      return [kind, text] as const;
    });
    const heads = [undefined, '0.9'].map((forms) => JSON.stringify({ ...JSON.parse(parts[0]?.[1] ?? ''), forms }));
    const files = heads.map((head) => chained(parts.with(0, ['head', head])).join(''));
    for (const text of files) expect(await wrongLine(text)).to.equal(1);
    expect(byPython(files)).to.deep.equal([1, 1]);
    for (const text of files) {
      const { wrong } = await readJournal(new Blob([text]), new AbortController().signal, () => undefined);
      expect(wrong?.line).to.equal(1);
    }
  });

  it('a line that nobody can compute with is named, by both: nested deep, or a number without end', async () => {
    const [head = ''] = journalLines(lives.find(({ name }) => name === 'life-group.json')?.texts ?? []);
    const begun = ['head', head.slice(82, -2)] as const;
    const { account } = JSON.parse(begun[1]);
    const paid = { type: 'accountOpened', depositUsd: '1e999999999' };
    const entries = [
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"events":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      JSON.stringify({ accountId: account, seq: 1, timeMs: 1, v: NEWEST_FORMAT, events: [paid] }),
    ];
    const files = entries.map((text) => chained([begun, ['entry', text]]).join(''));
    expect(byPython(files)).to.deep.equal([2, 2, 2]);
    for (const text of files) expect(await wrongLine(text)).to.be.at.least(2);
  });

  it('the command says what it is, and needs no store', async () => {
    const texts = lives.find(({ name }) => name === 'life-takenOver.json')?.texts ?? [];
    const lines = journalLines(texts);
    const run = (path: string) => verifyJournal([path]);
    const whole = await run(file('whole', lines.join('')));
    expect(whole.isBad).to.equal(undefined);
    expect(whole.data).to.have.nested.property('verified.balance_usd', '96749.95');
    const bad = await run(file('bad', lines.toSpliced(3, 1).join('')));
    expect(bad.isBad).to.equal(true);
    expect(bad.data).to.have.nested.property('wrong.line', 4);
    const { status, stdout } = spawnSync('python3', ['-B', PYTHON, join(dir, 'whole')], { encoding: 'utf8' });
    expect([status, stdout]).to.deep.equal([
      0,
      'balance_usd 96749.950000 deposits 100000.000000 pnl -3220.799550 fees 29.250450 funding 0.000000 house 0.000000\n',
    ]);
  });
});
