// The pages as a reader follows them: one exchange, one terminal, each block as it is printed, in the order of the pages. So the examples
// of clients meet the account in which the README has traded, and a page may use what a page before it has set.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { Example } from '../clients/example.ts';
import { LONG } from '../clients/long/long.ts';
import { findPython } from '../compat/pythonClient.ts';
import { freePort } from '../support/ports.ts';
import { isAlive, readDemo, running, StartCommand } from '../support/startCommand.ts';
import { type Block, blocksOf, exampleOf, PAGES, PROJECT, readPage, startIn } from './page.ts';
import { Shell } from './shell.ts';

/** The output that an example of a client has to have, whatever else it prints. */
const OPEN = /^open \d+: 0\.001 at \d[\s\S]*^filled \d+: 0\.001 at \d[\s\S]*^position .*0\.00\d+ at \d/m;
const HEARD = [/^heard canceled \d/m, /^heard Open Long 0\.001/m, /^heard Close Long 0\.001/m];
const CCXT = [OPEN, /^canceled \d+/m, /^trade sell 0\.001/m, /^heard canceled/m, /^heard trade buy 0\.001/m];

/** The output of the blocks of a page. Of a page that is not here, that all have ended well is enough. */
const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /"filled":\{"totalSz":"0\.001"[\s\S]*"sz":"0\.001"/,
    /^0\.001 \d/m,
    /filled: \{[^}]*totalSz: '0\.001'/,
    /"channel":"bbo"[\s\S]*"channel":"userFills"|"channel":"userFills"[\s\S]*"channel":"bbo"/,
    /takenSz: '0\.\d+'/,
    /'totalSz': '0\.001'/,
    /already satisfied: hyperliquid-python-sdk/,
    /"api_key":"pe_/,
  ],
  'docs/clients.md#ccxt-js': CCXT,
  'docs/clients.md#ccxt-python': CCXT,
  'docs/clients.md#nktkas': [OPEN, ...HEARD],
  'docs/clients.md#npm-hyperliquid': [OPEN, ...HEARD],
  'docs/clients.md#python-sdk': [OPEN, ...HEARD],
  'docs/control.md': [/"shown":true/, /^http:.*\/key\/pe_/m],
  'docs/export.md': [/state_hash|state hash/i],
  'docs/failure-lab.md': [/"seed":7/],
  'docs/copies.md': [/"state_hash":"/, /"differences":\[/],
};

/** The programs of the README, by the language that a block names. */
const PROGRAMS: Readonly<Record<string, readonly [file: string, command: string]>> = {
  js: ['first.mjs', 'node first.mjs'],
  python: ['first.py', 'python3 first.py'],
};

describe('the pages, block by block', function () {
  this.timeout(900_000);
  /** A reader's files of the checkout, with an exchange and data of its own. */
  const room = mkdtempSync(join(tmpdir(), 'paper-pages-'));
  /** A folder of the reader's own. Installed packages stay there for the next run. */
  const own = join(PROJECT, 'var', 'test', 'readme');
  let env: Record<string, string>;
  let shell: Shell;
  let exchange: StartCommand | undefined;

  before(async () => {
    for (const name of ['bin', 'tools', 'docs', 'examples', 'package.json'])
      cpSync(join(PROJECT, name), join(room, name), { recursive: true });
    for (const name of ['node_modules', 'dist']) symlinkSync(join(PROJECT, name), join(room, name));
    // Without a folder of packages npm would take the checkout above it for the reader's own, and change its package.json.
    mkdirSync(join(own, 'node_modules'), { recursive: true });
    const jars = join(PROJECT, 'var', 'mongo-jars');
    env = {
      PORT: String(await freePort()),
      MARKET_URL: 'http://127.0.0.1:9', // no venue: the market is emulated where a page does not say so
      ...(existsSync(jars) && process.env['MONGO_JARS'] === undefined ? { MONGO_JARS: jars } : {}),
      PATH: [dirname(findPython()), dirname(process.execPath), process.env['PATH']].join(':'),
      ...{ PIP_NO_COMPILE: '1', PYTHONDONTWRITEBYTECODE: '' },
    };
    shell = new Shell(join(room, 'var', 'blocks'), { ...process.env, ...env });
  });
  after(async () => {
    await shell.close();
    await exchange?.abandon();
    for (const pid of Object.values(running(join(room, 'var')))) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(room, { recursive: true, force: true });
  });

  /** In the terminal beside: its running program is stopped before. */
  const start = async (wanted: NonNullable<ReturnType<typeof startIn>>): Promise<void> => {
    exchange?.signal('SIGINT');
    expect(await (exchange?.end() ?? 0), exchange?.output).to.equal(0);
    exchange = new StartCommand(wanted.args, { ...env, ...wanted.env }, room);
    await exchange.ready();
  };

  const run = async (page: string, { language, code, mark }: Block): Promise<string> => {
    if (mark?.kind === 'not run' || mark?.kind === 'body') return '';
    if (mark?.kind === 'saved as') writeFileSync(join(room, mark.text), code);
    if (mark?.kind === 'saved as') return '';
    const started = startIn(code);
    if (started !== undefined) await start(started);
    if (started !== undefined) return '';
    if (language === 'sh') return shell.run(code, mark?.kind === 'run in' ? own : room);
    const [file, command] = PROGRAMS[language] ?? [];
    if (page !== 'README.md' || file === undefined || command === undefined)
      throw new Error(`a block of ${language} without a mark`);
    writeFileSync(join(own, file), code);
    return shell.run(command, own);
  };

  /** Positions and open orders of the demo account. */
  const held = async (): Promise<unknown> => {
    const { baseUrl, apiKey, address: user } = readDemo(join(room, 'var'));
    // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees
    const ask = async (type: string): Promise<any> => {
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
      const asked = { method: 'POST', headers, body: JSON.stringify({ type, user }) };
      return (await fetch(`${baseUrl}/v1/exchanges/perpx/info`, asked)).json();
    };
    const { assetPositions } = await ask('clearinghouseState');
    const sizes = assetPositions.map(({ position }: { position: { coin: string; szi: string } }) => [
      position.coin,
      position.szi,
    ]);
    return { sizes, orders: await ask('openOrders') };
  };

  for (const page of PAGES.filter((one) => blocksOf(readPage(one)).length > 0)) {
    const example = exampleOf(page);
    if (example !== undefined && Object.hasOwn(LONG, example)) continue; // test/clients/long runs it
    it(page, async () => {
      const printed: string[] = [];
      if (example === undefined) for (const block of blocksOf(readPage(page))) printed.push(await run(page, block));
      else {
        const before = await held();
        const copy = new Example(example);
        await copy.install();
        for (const code of copy.runs) printed.push(await shell.run(code, copy.folder));
        expect(await held()).to.deep.equal(before);
      }
      for (const wanted of PRINTS[page] ?? []) expect(printed.join('\n')).to.match(wanted);
      await shell.endJobs();
    });
  }
});
