// The content of golden files: random lives of fixed seeds as journals, snapshots and documents of MongoDB, and an example of each
// sent form. Made by this build in a given generation; `writeGolden.ts` stores it, tests compare with it.

import { readFileSync } from 'node:fs';
import type { Account } from '../../src/actors/core/account/account.ts';
import { readSnapshot, toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import {
  type Append,
  type CloidDocument,
  HistoryBatch,
  type RowsDocument,
  type SnapshotDocument,
} from '../../src/actors/core/history/historyDocuments.ts';
import { EMPTY_HOUSE, houseAfter, toStoredHouse } from '../../src/actors/core/history/houseLedger.ts';
import { rowsOf } from '../../src/actors/core/history/rowsOfEvents.ts';
import {
  type AccountCommand,
  type CopiedCommand,
  generationOf,
  type OwnersCommand,
} from '../../src/actors/core/messages/command.ts';
import { type AccountEntry, writeEntry } from '../../src/actors/core/messages/entry.ts';
import { writeEnvelope, writeFollowed, writeOutcome, writeReply } from '../../src/actors/core/messages/envelope.ts';
import type { LabNote } from '../../src/actors/core/messages/labNote.ts';
import { type SentShardCommand, writeShardCommand } from '../../src/actors/core/messages/shardCommand.ts';
import type { Terms } from '../../src/actors/core/messages/terms.ts';
import { writePrepared } from '../../src/actors/engine/commit/preparedCommits.ts';
import { writeStateDocument } from '../../src/actors/engine/journal/archiveStates.ts';
import type { JournalPositionDocument } from '../../src/actors/engine/journal/journalPosition.ts';
import { writeRedisSnapshot } from '../../src/actors/engine/ownership/redisSnapshots.ts';
import { writeExcursion } from '../../src/api/accounts/excursionStore.ts';
import type { Chunk } from '../../src/api/domain/candles.ts';
import { decide } from '../../src/features/rules.ts';
import { messageEnd, writeChange } from '../../src/market/domain/feed.ts';
import { type ChunkDocument, chunkId, type StateDocument, writePart } from '../../src/shared/archive/archiveForm.ts';
import { type Format, NEWEST_FORMAT, type StoredForm } from '../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import { chunkDocument } from '../../src/shared/venue/venueAnswers.ts';
import { type RandomStep, toSteps } from '../proof/randomSteps.ts';
import { FixtureMarket } from '../support/fixtureMarket.ts';
import {
  ACCOUNT_ID,
  book,
  deposit,
  lateTrade,
  leverage,
  mark,
  place,
  Scenario,
  type Step,
  trade,
  wait,
} from '../support/scenario.ts';
import { CHANGES, COMMANDS, FAILURES, OUTCOMES, QUERIES, SHARD_COMMANDS } from './examples.ts';
import { type Plain, toPlain } from './plainState.ts';

/** Random lives, as they were drawn once: other draws would meet other things. */
const DRAWN: Readonly<Record<string, readonly RandomStep[]>> = JSON.parse(
  readFileSync(new URL('../fixtures/formats/lives.json', import.meta.url), 'utf8'),
);

const OTHER_ID = `0x${'cd'.repeat(20)}`;

const PLAIN_TWAP = {
  type: 'startTwap',
  asset: 2,
  side: 'buy',
  size: '11',
  minutes: 5,
  reduceOnly: false,
  randomize: false,
} as const;

const LAB_NOTE: LabNote = { key: 'key_1', on: 'exchange', number: 1, atMs: new FixtureMarket().nowMs, draw: 0.25 };

const inLab = (note: LabNote, command: AccountCommand): Step => ({ type: 'inLab', note, command: command as OwnersCommand });
/** Of an account with a position, orders that rest and wait, a TWAP, and the dead man's switch set. */
function beginFork(terms?: Terms): AccountCommand {
  const { account } = new Scenario(new FixtureMarket()).given(
    deposit('10000'),
    place({ size: '10', limitPrice: '101', tif: 'ioc' }),
    place({ size: '2', limitPrice: '95' }),
    { ...PLAIN_TWAP, trigger: { price: '110', above: true } },
    PLAIN_TWAP,
    { type: 'scheduleCancel', dueMs: new FixtureMarket().nowMs + 60_000 },
  );
  // In every generation a life is forked from what generation 1 has.
  const state: StoredForm = JSON.parse(toSnapshot({ ...account, id: OTHER_ID }, 1));
  const source = readSnapshot(state);
  return { type: 'beginFork', of: OTHER_ID, seq: source.seq, hash: stateHashOf(source), ...(terms && { terms }), state };
}

const RESTING = {
  ...({ asset: 0, side: 'buy', limitPrice: '60000', size: '0.1', reduceOnly: false } as const),
  type: { kind: 'limit', timeInForce: 'gtc' } as const,
};

const mirrored = (number: number, command: CopiedCommand): AccountCommand => ({
  type: 'mirrored',
  of: OTHER_ID,
  number,
  command,
});

/** An address with two positions, an order that rests, an order that waits for the mark, and parts that cannot be taken. */
const IMPORT: AccountCommand = {
  ...{ type: 'importAccount', source: OTHER_ID, scale: '0.5', takenAtMs: 1_700_000_000_000, accountValue: '20000' },
  positions: [
    {
      ...{ coin: 'SOL', signedSize: '20', entryPrice: '90', value: '2000' },
      ...{ marginMode: 'cross', leverage: 20, rawUsd: '0' },
    },
    {
      ...{ coin: 'ISO', signedSize: '-10.01', entryPrice: '52', value: '500.5' },
      ...{ marginMode: 'isolated', leverage: 5, rawUsd: '624.624' },
    },
  ],
  orders: [
    {
      oid: 7,
      cloid: `0x${'07'.repeat(16)}`,
      coin: 'SOL',
      side: 'buy',
      limitPrice: '95',
      size: '4',
      reduceOnly: false,
      timeInForce: 'gtc',
    },
    {
      ...{ oid: 8, coin: 'SOL', side: 'sell', limitPrice: '80', size: '0', reduceOnly: true, timeInForce: 'never' },
      trigger: { price: '85', tpsl: 'sl', isMarket: true, isPosition: true },
    },
    { oid: 9, coin: 'SOL', side: 'buy', limitPrice: '100', size: '4', reduceOnly: false, timeInForce: 'gtc' },
  ],
  left: [{ kind: 'balance', coin: 'HYPE', reason: 'spot', text: 'Spot is not traded here.' }],
};

/** Later acts of the address: an order, two fills that cross (one of the two is not to be had), and an end. */
const FOLLOWED: readonly AccountCommand[] = [
  { type: 'followAddress', id: 'mir_1', source: OTHER_ID, sinceMs: 1_700_000_000_000, orders: [] },
  {
    ...{ type: 'followSource', id: 'mir_1', term: 3, ended: [], open: [21, 22] },
    fills: [
      {
        ...{ tid: 1, oid: 20, coin: 'SOL', side: 'sell', price: '100', size: '4', fee: '0.18', timeMs: 1_700_000_000_100 },
        ...{ liquidity: 'taker', closes: true },
      },
      {
        ...{ tid: 2, oid: 23, coin: 'NOPE', side: 'buy', price: '1', size: '4', fee: '0', timeMs: 1_700_000_000_100 },
        liquidity: 'maker',
      },
    ],
    opened: [21, 22].map((oid) => ({
      order: {
        ...{ oid, coin: 'SOL', side: 'buy' as const, limitPrice: '90', size: oid === 21 ? '4' : '0.001' },
        ...{ reduceOnly: false, timeInForce: 'gtc' as const },
      },
      ...{ originalSize: '5', placedAtMs: 1_700_000_000_050 },
    })),
  },
  { type: 'followSource', id: 'mir_1', term: 3, fills: [], ended: [22], opened: [] },
];

/** Lives step by step. */
const SCRIPTED: Readonly<Record<string, readonly Step[]>> = {
  // A fifth of a large position is sold, and the account remembers it.
  liquidated: [
    leverage(0, 40),
    place({ asset: 0, size: '3', limitPrice: '65001', tif: 'ioc' }),
    book('BTC', [['62400', '9']], []),
    mark('BTC', '62450'),
  ],
  // The house takes over what the book does not.
  takenOver: [
    leverage(0, 20, 'isolated'),
    place({ asset: 0, size: '1', limitPrice: '65001', tif: 'ioc' }),
    book('BTC', [['30000', '1']], []),
    mark('BTC', '60000'),
  ],
  // A reduce-only order gives way to a newer one.
  exits: [
    place({ size: '10', limitPrice: '101', tif: 'ioc' }),
    ...['110', '111', '112'].map((limitPrice) => place({ side: 'sell', size: '5', limitPrice, reduceOnly: true })),
  ],
  // A stop fires into a level that was taken before, fills a part at a newer book, is cut to the position, and waits on.
  stopWaits: [
    book('SOL', [['99.9', '50']], [['100', '50']]),
    place({ size: '30', limitPrice: '100' }),
    place({ side: 'sell', size: '8', limitPrice: '85', reduceOnly: true, trigger: { price: '95', tpsl: 'sl' } }),
    book('SOL', [['90', '8']], [['130', '50']]),
    place({ side: 'sell', size: '5', limitPrice: '90', tif: 'ioc' }),
    mark('SOL', '95'),
    book('SOL', [['90', '10']], [['130', '50']]),
    place({ side: 'sell', size: '18', limitPrice: '93' }),
    trade('SOL', ['buy', '93', '18']),
  ],
  // One TWAP is started and ended by marks, and another still waits.
  twapPrices: [
    { ...PLAIN_TWAP, trigger: { price: '101', above: true }, stopPrice: '103' },
    { ...PLAIN_TWAP, trigger: { price: '90', above: false }, stopPrice: '95.5' },
    mark('SOL', '101'),
    wait(0),
    mark('SOL', '103'),
  ],
  // Sub-accounts, and transfers that are under way, received in another order than sent, and settled.
  group: [
    { type: 'createSubAccount', name: 'grid', limit: 10 },
    { type: 'createSubAccount', name: 'trend', limit: 10 },
    { type: 'createSubAccount', name: 'rewind', limit: 10, fork: { of: OTHER_ID, seq: 9, hash: 'h2:ab' } },
    { type: 'renameSubAccount', number: 2, name: 'carry' },
    { type: 'sendTransfer', to: OTHER_ID, usd: '12.5' },
    { type: 'sendTransfer', to: OTHER_ID, usd: '7.25' },
    { type: 'receiveTransfer', from: OTHER_ID, number: 1795329600200, after: 1795329600100, usd: '3' },
    { type: 'settleTransfer', to: OTHER_ID, number: new FixtureMarket().nowMs },
  ],
  // A failure lab: an order and a cancel wait for their latency, an order is held for a time.
  lab: [
    inLab({ ...LAB_NOTE, number: 1, delayMs: 200 }, place({ asset: 2, size: '4', limitPrice: '99' })),
    wait(200),
    inLab({ ...LAB_NOTE, number: 2, delayMs: 300 }, { type: 'cancelOrders', cancels: [{ asset: 2, target: { oid: 1 } }] }),
    inLab(
      { ...LAB_NOTE, number: 3 },
      place({ asset: 2, size: '3', limitPrice: '101', script: { prefix: '0xab', fillPercent: 0, holdMs: 500 } }),
    ),
    inLab({ ...LAB_NOTE, number: 4, fault: 'timeoutAfterEffect' }, place({ asset: 2, size: '1', limitPrice: '98' })),
    { type: 'noteLab', note: { ...LAB_NOTE, number: 5, fault: '429' } },
    wait(600),
    inLab(
      { ...LAB_NOTE, number: 6 },
      place({ asset: 2, size: '3', limitPrice: '97', script: { prefix: '0xac', fillPercent: 0, holdMs: null } }),
    ),
    inLab({ ...LAB_NOTE, number: 7, delayMs: 9000 }, place({ asset: 2, size: '4', limitPrice: '96' })),
  ],
  // The account is closed while an action waits for its latency.
  labClosed: [
    inLab({ ...LAB_NOTE, number: 1, delayMs: 9000 }, place({ asset: 2, size: '4', limitPrice: '96' })),
    { type: 'closeAccount' },
  ],
  // It begins with the state of another account and trades on.
  fork: [beginFork(), place({ side: 'sell', size: '4', limitPrice: '99', tif: 'ioc' }), wait(0)],
  // A key with limits of trading sends orders of all kinds, and too many.
  limitedKey: [
    place({ limitPrice: '99' }, { limitPrice: '85', side: 'sell', trigger: { price: '90', tpsl: 'sl' } }),
    place({ limitPrice: '75', side: 'sell', reduceOnly: true, trigger: { price: '80', tpsl: 'sl' } }),
    PLAIN_TWAP,
    inLab({ ...LAB_NOTE, number: 1, delayMs: 200 }, place({ limitPrice: '98' }, { limitPrice: '97' })),
    wait(200),
  ],
  // It sends its commands to two what-ifs, of which one ends.
  mirrors: [
    { type: 'addMirror', to: OTHER_ID },
    { type: 'addMirror', to: `0x${'ce'.repeat(20)}` },
    place({ size: '4', limitPrice: '99' }),
    { type: 'settleMirror', to: OTHER_ID, through: 1 },
    { type: 'settleMirror', to: `0x${'ce'.repeat(20)}`, through: 0, ended: true },
    place({ size: '2', limitPrice: '98' }),
  ],
  // A what-if receives commands of its source: one waits for its latency, one comes twice.
  whatIf: [
    beginFork({ fees: { maker: '0', taker: '0.001' }, leverage: 3, fillModel: 'pessimistic', latency: { seed: 7, cancel: 250 } }),
    mirrored(1, { type: 'placeOrders', orders: [{ ...RESTING, oid: 9001 }], grouping: 'na' }),
    mirrored(1, { type: 'placeOrders', orders: [{ ...RESTING, oid: 9001 }], grouping: 'na' }),
    mirrored(2, { type: 'cancelOrders', cancels: [{ asset: 0, target: { oid: 9001 } }] }),
    wait(0),
  ],
  // House rules: a peak, hours that end, a coin that is none of them, and a loss that closes all.
  houseRules: [
    {
      type: 'setHouseRules',
      rules: {
        dailyLoss: { usd: '30', act: 'close' },
        drawdown: { percent: '50', act: 'refuse' },
        hours: { fromMinute: 0, toMinute: 1, act: 'warn' },
        coins: { only: ['SOL'], act: 'warn' },
      },
    },
    place({ size: '4', limitPrice: '101', tif: 'ioc' }, { asset: 0, size: '0.001', limitPrice: '40000' }),
    mark('SOL', '105'),
    wait(86_400_000),
    mark('SOL', '95'),
  ],
  // Fees and a fill model of its own, with fills before and after them.
  terms: [
    { type: 'setTerms', terms: { fees: { kind: 'volume' } } },
    place({ size: '4', limitPrice: '101', tif: 'ioc' }),
    { type: 'setTerms', terms: { fees: { kind: 'tier', tier: 3, rebate: 2 } } },
    place({ size: '4', limitPrice: '101', tif: 'ioc' }),
    { type: 'setTerms', terms: { fees: { kind: 'own', maker: '-0.0001', taker: '0.0002' }, fillModel: 'probable' } },
    place({ size: '4', limitPrice: '99' }),
    book(
      'SOL',
      [
        ['99.9', '5'],
        ['99', '30'],
      ],
      [['101', '50']],
    ),
    trade('SOL', ['sell', '99', '34']),
  ],
  // Books that come before the trades that they contain.
  booksFirst: [
    book(
      'SOL',
      [
        ['99.9', '5'],
        ['99', '30'],
      ],
      [['101', '5']],
    ),
    mark('SOL', '100'),
    place({ size: '5', limitPrice: '101', tif: 'ioc' }, { size: '4', limitPrice: '99' }),
    wait(10),
    book(
      'SOL',
      [
        ['99.9', '5'],
        ['99', '20'],
      ],
      [['101', '3']],
    ),
    lateTrade('SOL', ['sell', '99', '6'], ['buy', '101', '1']),
  ],
  // Fills from buckets of the aggregated book, and a trade in one of them.
  beyond: [
    book('SOL', [['99.9', '5']], [['101', '5']]),
    (market) => void market.setDeep('SOL', { bids: [['98', '20']], asks: [['102', '30']] }),
    mark('SOL', '100'),
    place({ size: '9', limitPrice: '105', tif: 'ioc' }),
    wait(10),
    trade('SOL', ['buy', '102', '1']),
    place({ side: 'sell', size: '7', limitPrice: '97', tif: 'ioc' }),
  ],
  // All of its money goes while it is below its peak, and an order is open: event and state keep traces of both.
  houseWithoutMoney: [
    { type: 'setHouseRules', rules: { drawdown: { percent: '50', act: 'close' } } },
    place({ size: '4', limitPrice: '101', tif: 'ioc' }),
    mark('SOL', '95'),
    { type: 'resetAccount', plan: 'basic', balanceUsd: '0' },
  ],
  // It begins with what an address has and trades on.
  import: [IMPORT, place({ side: 'sell', size: '4', limitPrice: '99', tif: 'ioc' }), wait(0)],
  mirrored: [IMPORT, ...FOLLOWED],
  mirrorEnded: [IMPORT, ...FOLLOWED, { type: 'unfollowAddress', id: 'mir_1' }],
  // Requests are paid for, and one more than those is let through.
  beyondTheLimit: [
    { type: 'reserveRequests', weight: 1 },
    ...Array.from({ length: 21 }, () => ({
      type: 'cancelOrders' as const,
      cancels: Array.from({ length: 1000 }, () => ({ asset: 2, target: { oid: 1 } })),
    })),
  ],
};

/** Names of lives that together meet every event and every field of the state: formats.test.ts says what they miss. */
export const LIVES: readonly string[] = [...Object.keys(SCRIPTED), ...Object.keys(DRAWN)];
/** Allows the orders of its life but for the last one. */
const LIMITED_KEY = { keyId: 'key_1', orderUsd: '1500', leverage: 20, dailyLossUsd: '200', ordersPerMinute: 4 };
const SNAPSHOT_EVERY = 8;
const SHARD = 1;
const PREPARED = { keys: ['{s01}:lease', '{s01}:head'], args: ['4:pod-1:0a1b2c3d4e5f', 9, 4, 33, '7-0', 1795329600123, 0, ''] };
const TRACED = { trace: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const ID = { incarnation: 'api-1.0a1b2c3d', counter: 42 };

export interface GoldenLife {
  readonly journal: readonly string[];
  readonly snapshots: readonly { readonly seq: number; readonly text: string; readonly state: Plain; readonly hash: string }[];
  readonly documents: {
    readonly history: readonly RowsDocument[];
    readonly orderEnds: readonly RowsDocument[];
    readonly cloids: readonly CloidDocument[];
    readonly account: SnapshotDocument;
    readonly shard: JournalPositionDocument;
  };
  /** The rows of all entries. */
  readonly rows: Plain;
}

/** A text and what it says. */
export interface GoldenText {
  readonly text: string;
  readonly says: Plain;
}

export interface GoldenMessages {
  readonly prepared: readonly GoldenText[];
  readonly envelopes: readonly GoldenText[];
  readonly replies: readonly GoldenText[];
  readonly outcomes: readonly GoldenText[];
  readonly shardCommands: readonly GoldenText[];
  readonly changes: readonly GoldenText[];
  readonly ticks: readonly GoldenText[];
  readonly messages: readonly GoldenText[];
}

/** A life step by step: each step is made when its turn comes. */
function stepsOf(life: string): ((scenario: Scenario) => readonly Step[])[] {
  const drawn = DRAWN[life];
  if (drawn) return drawn.map((step) => (scenario) => toSteps(step, scenario));
  return (SCRIPTED[life] ?? []).map((step) => () => [step]);
}

/** The effects of a job and of a plan on every account at its end. */
function endOf({ market }: Scenario): readonly Step[] {
  const kinds = { fills: 0, orders: 0, ledger: 1, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 };
  return [
    { type: 'creditPlan', usd: '90000' },
    { type: 'sampleEquity', periodMs: market.nowMs + 1 },
    { type: 'forgetHistory', beforeMs: 0, firstRows: kinds, lastSeqs: kinds, seq: 1 },
  ];
}

const EMPTY_AT_FIRST = ['import', 'mirrored', 'mirrorEnded'];

/** A fork is no account before it begins, an import one with nothing. */
function openingOf(life: string): Step[] {
  if (life === 'fork' || life === 'whatIf') return [];
  const open = life === 'houseWithoutMoney' ? [place({ limitPrice: '80' })] : [];
  return [deposit(EMPTY_AT_FIRST.includes(life) ? '0' : '10000'), ...open];
}

/** Lives it, and shows the account every few steps, while a liquidation is remembered, and at the end. */
export function lifeOf(life: string, format: Format, show: (account: Account) => void = () => undefined): Scenario {
  const scenario = new Scenario(new FixtureMarket(), format).given(...openingOf(life));
  scenario.addressLimit = true;
  if (life === 'limitedKey') scenario.key = LIMITED_KEY;
  stepsOf(life).forEach((stepsNow, at) => {
    scenario.given(...stepsNow(scenario));
    if (at % SNAPSHOT_EVERY === SNAPSHOT_EVERY - 1 || scenario.account.liquidation) show(scenario.account);
  });
  scenario.given(...endOf(scenario));
  show(scenario.account);
  return scenario;
}

export function goldenLife(life: string, format: Format): GoldenLife {
  const snapshots: GoldenLife['snapshots'][number][] = [];
  const { entries, account } = lifeOf(life, format, (shown) => {
    const state = { state: toPlain(shown), hash: stateHashOf(shown) };
    if (snapshots.at(-1)?.seq !== shown.seq) snapshots.push({ seq: shown.seq, text: toSnapshot(shown, format), ...state });
  });
  const batch = new HistoryBatch(format);
  entries.forEach((entry, at) => {
    batch.add({ number: at + 1, timeMs: entry.timeMs, epoch: 1, idCounter: at, entries: [entry] });
  });
  const commit = entries.length;
  const reached = { commit, epoch: 1, idCounter: commit, tick: '1795329600123-0', atMs: account.timeMs };
  const house = toStoredHouse(entries.flatMap(({ events }) => events).reduce(houseAfter, EMPTY_HOUSE));
  return {
    journal: entries.map((entry) => writeEntry(entry, format)),
    snapshots,
    documents: {
      history: batch.history.map((append) => toDocument(append, format)),
      orderEnds: batch.orderEnds.map((append) => toDocument(append, format)),
      cloids: [...batch.cloids].map(([_id, { oid, seq }]) => ({ _id, v: format, shard: SHARD, oid, seq })),
      account: { _id: ACCOUNT_ID, v: format, shard: SHARD, seq: account.seq, commit, text: toSnapshot(account, format) },
      shard: {
        ...{ _id: SHARD, v: format, owner: '1:pod:ab', version: 7, ...reached, ahead: reached, house },
        archived: commit,
      },
    },
    rows: toPlain(entries.flatMap(rowsOf)),
  };
}

function toDocument({ id, account, commit, rows }: Append, v: Format): RowsDocument {
  const { seq: lastSeq, timeMs: lastTimeMs } = rows.at(-1) ?? { seq: 0, timeMs: 0 };
  return { _id: id, v, account, shard: SHARD, commit, lastSeq, lastTimeMs, rows: rows.map(({ text }) => text) };
}

/** A kept snapshot as Redis has it, base64. */
export interface GoldenKept {
  readonly seq: number;
  readonly value: string;
  readonly text: string;
}

export async function goldenKept(format: Format): Promise<GoldenKept> {
  const { account } = lifeOf('liquidated', format);
  const [seq, text] = [account.seq, toSnapshot(account, format)];
  return { seq, value: (await writeRedisSnapshot({ seq, text }, format)).toString('base64'), text };
}

/** Documents of the archive, with their bytes as base64, and what is in them. */
export interface GoldenArchive {
  readonly chunk: Omit<ChunkDocument, 'parts'> & {
    readonly parts: readonly { readonly sha256: string; readonly data: string }[];
  };
  readonly state: Omit<StateDocument, 'data'> & { readonly data: string };
  readonly entries: readonly string[];
  readonly text: string;
}

export async function goldenArchive(format: Format): Promise<GoldenArchive> {
  const { account, entries } = lifeOf('liquidated', format);
  const texts = entries.map((entry) => writeEntry(entry, format));
  const parts = await Promise.all([texts.slice(0, 2), texts.slice(2)].map(writePart));
  const bytes = parts.reduce((sum, { data }) => sum + data.length(), 0);
  const of = { v: format, account: ACCOUNT_ID, shard: SHARD };
  const text = toSnapshot(account, format);
  const state = { accountId: ACCOUNT_ID, seq: account.seq, text, reason: 'distance' } as const;
  const { data, ...head } = await writeStateDocument({ shard: SHARD, format }, state);
  const last = { lastSeq: account.seq, lastTimeMs: account.timeMs };
  return {
    chunk: {
      ...{ _id: chunkId(ACCOUNT_ID, 1), ...of, commit: entries.length, ...last, bytes },
      parts: parts.map(({ sha256, data: part }) => ({ sha256, data: part.toString('base64') })),
    },
    state: { ...head, data: data.toString('base64') },
    entries: texts,
    text,
  };
}

export function goldenMessages(format: Format): GoldenMessages {
  const queries = queriesOf(format).map((query): AccountCommand => ({ type: 'query', query }));
  const commands = Object.values(COMMANDS).filter((command) => generationOf(command) <= format);
  const envelopes = [...commands, ...queries].map((command) => ({
    ...{ id: ID, replyTo: ID.incarnation, requestId: 'req-1', deadlineMs: 1795329605000 },
    idempotency: { key: 'key-1', bodyDigest: 'ef'.repeat(32) },
    ...(command.type === 'placeOrders' && { ...TRACED, key: LIMITED_KEY }),
    command,
  }));
  const outcomes = [...Object.values(OUTCOMES), ...answers(format)];
  const isKept = { isKept: true } as const;
  const replies = [...outcomes.map((outcome) => ({ outcome })), ...FAILURES.map((failure) => ({ failure })), isKept];
  const { tick, ...storedTrades } = CHANGES.trades;
  const stored = [...Object.values(CHANGES).filter(({ type }) => type !== 'trades'), storedTrades] as (typeof storedTrades)[];
  const withTick = `${writeChange(storedTrades, format).slice(0, -1)},"tick":"${tick}"}`;
  const book = writeChange(CHANGES.book, format);
  const message = `{"leader":"l.1","seq":9,"changes":[${withTick},${book}]${messageEnd(format)}`;
  return {
    envelopes: envelopes.map((envelope) => ({ text: writeEnvelope(envelope, format), says: toPlain(envelope) })),
    replies: [
      ...replies.map((reply) => ({ text: `[${writeReply(ID, reply, format)}]`, says: toPlain(reply) })),
      followedEntry(format),
    ],
    outcomes: outcomes.map((outcome) => ({ text: writeOutcome(outcome, format), says: toPlain(outcome) })),
    prepared: [{ text: writePrepared(PREPARED, { format }), says: toPlain(PREPARED) }],
    shardCommands: JOBS.map((command) => ({ text: writeShardCommand(command, format), says: toPlain(command) })),
    changes: stored.map((change) => ({ text: writeChange(change, format), says: toPlain(change) })),
    ticks: [{ text: writeChange(storedTrades, format), says: toPlain(CHANGES.trades) }],
    messages: [{ text: message, says: toPlain({ leader: 'l.1', seq: 9, changes: [CHANGES.trades, CHANGES.book] }) }],
  };
}

/** A chunk of closed candles, of which one is in progress. */
export function goldenCandles(): { readonly document: Plain; readonly says: Plain } {
  const row = (t: number, n: number) => ({
    t,
    T: t + 59_999,
    s: 'SOL',
    i: '5m',
    o: '100.0',
    c: '100.5',
    h: '101.0',
    l: '99.5',
    v: '12.5',
    n,
  });
  const fromMs = 1795329600000;
  const running = { ended: [], closed: row(fromMs + 300_000, 3), minute: row(fromMs + 300_000, 1) };
  const chunk: Chunk = { fromMs, untilMs: fromMs + 300_000, rows: [row(fromMs, 9)], running };
  return {
    document: toPlain(chunkDocument(`live/SOL/5m/${fromMs}`, chunk, { nowMs: fromMs + 400_000, v: NEWEST_FORMAT })),
    says: toPlain(chunk),
  };
}

/** An example of each kind. */
export function goldenExcursions(format: Format): GoldenText[] {
  const trip = { tid: 16000113, closedMs: 1795329900000 };
  return [
    { ...trip, mfeUsd: '99.9', maeUsd: '-100.1', resolution: '1m' as const },
    { ...trip, mfeUsd: '0', maeUsd: '-0.1', resolution: 'fills' as const },
    { ...trip, missing: 'no_candles' as const },
  ].map((excursion) => ({ text: writeExcursion(excursion, format), says: toPlain(excursion) }));
}

/** Each kind, and one example of a traced run. */
const JOBS: readonly SentShardCommand[] = [...Object.values(SHARD_COMMANDS), { ...SHARD_COMMANDS.scanLiquidation, ...TRACED }];

/** An entry for a node that follows the account. */
function followedEntry(format: Format): GoldenText {
  const [entry] = new Scenario(new FixtureMarket(), format).given(deposit('5000')).entries as [AccountEntry];
  const told = { token: '4:pod-1:0a1b2c3d4e5f', nextDueMs: 1795329605000 };
  const text = writeFollowed(ID.incarnation, { ...told, entry: writeEntry(entry, format) }, format);
  return { text: `[${text}]`, says: toPlain({ followed: { ...told, entry } }) };
}

/** The questions that a deployment of this generation may be asked. */
const queriesOf = (format: Format) => Object.values(QUERIES).filter((query) => generationOf({ type: 'query', query }) <= format);

/** Answers to every kind of question, of an account in the middle of its life. */
function answers(format: Format) {
  const scenario = new Scenario(new FixtureMarket(), format).given(
    deposit('5000'),
    COMMANDS.updateLeverage,
    { ...COMMANDS.placeOrders, grouping: 'na' } as AccountCommand,
    COMMANDS.createSubAccount,
    COMMANDS.sendTransfer,
  );
  const { account, market } = scenario;
  const ids = { next: () => 1, fork: () => ids };
  const context = { nowMs: market.nowMs, market, ids, format };
  return queriesOf(format).map((query) => {
    const { outcome } = decide(account, { type: 'query', query }, context);
    if (outcome.type !== 'answer') throw new Error(`${query.kind} has no answer`);
    const { answer } = outcome;
    if (answer.kind === 'entries') return { ...outcome, answer: { ...answer, entries: scenario.entries } };
    if (answer.kind === 'accountView') {
      const state: StoredForm = JSON.parse(toSnapshot(account, format));
      return { ...outcome, answer: { ...answer, view: { token: '4:pod-1:0a1b2c3d4e5f', nextDueMs: null, state } } };
    }
    if (answer.kind !== 'history') return outcome;
    return { ...outcome, answer: { ...answer, held: { from: 3, fromMs: 1795329600000, isCut: true } } };
  });
}
