// How many files of src run from the request of an order to its acknowledgement, and to its history: API and actors run from their
// sources under V8's precise coverage, warm after a first order. Behind the acknowledgement a file counts that does not run while no
// order comes. `SHOW_FILES=1` prints them.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { orderAction } from '../../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { expectFigures } from './expectFigures.ts';
import { expectOrderPage } from './orderPage.ts';

const SOL = 5;
/** So many orders are sent. A file counts that runs with each of the quickest: timers fall into the others. */
const ORDERS = 30;
const QUICKEST = 7;
const ORDERS_TO_HISTORY = 5;
const QUIET_LOOKS = 40;
/** A busy machine takes some of its turns otherwise. */
const SLACK = 2;
/** A timer of its own measures the event loop, as often as an order takes. */
const ALWAYS = ['src/shared/metrics/processMetrics.ts'];
const TAPPED = ['api', 'actors'] as const;
const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe('the way of an order through the processes', function () {
  this.timeout(600_000);
  const dir = mkdtempSync(join(tmpdir(), 'order-way-'));
  let stack: Stack;
  let user: TestAccount;

  before(async () => {
    const fromSources = ['--import', 'tsx', '--import', pathOf('tap.ts'), pathOf('../../../src/main.ts')];
    const entries = { api: fromSources, actors: fromSources };
    stack = await startStack({ entries, env: { TAP_DIR: dir, HISTORY_DELAY_MS: '500' } });
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '500']], asks: [['100', '500']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
    user = await stack.register();
    await until(async () => (await stack.markAtOwner(user.apiKey, 'SOL')) === '100.0');
  });
  after(async () => {
    await stack?.stop();
    rmSync(dir, { recursive: true });
  });

  /** Files that ran since the last look, of both roles. */
  const look = async (): Promise<string[]> => {
    const files = (await Promise.all(TAPPED.map((role) => filesOf(join(dir, role))))).flat();
    return [...new Set(files)].filter((file) => !ALWAYS.includes(`src/${file}`));
  };

  const fillsInHistory = async (): Promise<number> => {
    const documents = await stack.mongo.db.collection(collections.history).find({ account: user.address }).toArray();
    return documents.filter(({ _id }) => String(_id).includes(':fills:')).flatMap(({ rows }) => rows).length;
  };

  const order = async (): Promise<{ readonly files: readonly string[]; readonly tookMs: number }> => {
    await look();
    const beganMs = performance.now();
    const { body } = await stack.exchange(user.apiKey, orderAction(SOL, { px: '100', sz: '1', tif: 'Ioc' }));
    const files = await look();
    expect(body.response?.data?.statuses?.[0], JSON.stringify(body)).to.have.property('filled');
    return { files, tookMs: performance.now() - beganMs };
  };

  /** The orders so far are in history. @returns files that ran since the last look */
  const historyOf = async (orders: number): Promise<string[]> => {
    await until(async () => (await fillsInHistory()) === orders);
    return look();
  };

  /** Files that run while no order comes: the test looks until no other file has run for many looks. */
  const idleFiles = async (): Promise<ReadonlySet<string>> => {
    const files = new Set<string>();
    let looksWithoutNews = 0;
    await until(async () => {
      const before = files.size;
      for (const file of await look()) files.add(file);
      looksWithoutNews = files.size === before ? looksWithoutNews + 1 : 0;
      return looksWithoutNews === QUIET_LOOKS;
    });
    return files;
  };

  it('passes no more files than it did, and those that docs/orderLife.md names', async () => {
    await order();
    await historyOf(1);
    const idle = await idleFiles();
    const afterwards: string[][] = [];
    for (let count = 2; count < 2 + ORDERS_TO_HISTORY; count++) {
      await order();
      afterwards.push(await historyOf(count));
    }
    const ways: Awaited<ReturnType<typeof order>>[] = [];
    for (let count = 0; count < ORDERS; count++) ways.push(await order());
    const quickest = ways.toSorted((a, b) => a.tookMs - b.tookMs).slice(0, QUICKEST);
    const toAcknowledgement = inAll(quickest.map(({ files }) => files));
    const written = inAll(afterwards);
    const behind = written.filter((file) => !idle.has(file) && !toAcknowledgement.includes(file));
    if (process.env['SHOW_FILES'] !== undefined) console.log([...toAcknowledgement, '', ...behind].join('\n'));
    expectOrderPage([...toAcknowledgement, ...behind], written);
    expectFigures({ filesToAcknowledgement: toAcknowledgement, filesToHistory: [...toAcknowledgement, ...behind] }, SLACK);
  });
});

const inAll = (lists: readonly (readonly string[])[]): string[] =>
  (lists[0] ?? []).filter((file) => lists.every((list) => list.includes(file)));

async function filesOf(socketPath: string): Promise<string[]> {
  const socket = connect(socketPath);
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  await once(socket, 'end');
  return JSON.parse(text) as string[];
}
