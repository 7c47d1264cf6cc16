import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Binary } from 'mongodb';
import { type Account, emptyAccount } from '../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import { readSequencedRow } from '../../src/actors/core/history/historyDocuments.ts';
import { EMPTY_HOUSE, fromStoredHouse, houseAfter } from '../../src/actors/core/history/houseLedger.ts';
import { type AccountCommand, generationOf } from '../../src/actors/core/messages/command.ts';
import { readEntry } from '../../src/actors/core/messages/entry.ts';
import { readEnvelope, readOutcome, readReplies, readReplyMessage } from '../../src/actors/core/messages/envelope.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import { HISTORY_KINDS } from '../../src/actors/core/messages/historyRows.ts';
import { readShardCommand } from '../../src/actors/core/messages/shardCommand.ts';
import { readPrepared } from '../../src/actors/engine/commit/preparedCommits.ts';
import { readRedisSnapshot, writeRedisSnapshot } from '../../src/actors/engine/ownership/redisSnapshots.ts';
import { readExcursion } from '../../src/api/accounts/excursionStore.ts';
import { applyEntry } from '../../src/features/rules.ts';
import { readChange, readMessage, readTrades } from '../../src/market/domain/feed.ts';
import { type ChunkDocument, readState } from '../../src/shared/archive/archiveForm.ts';
import { readChunk } from '../../src/shared/archive/archiveReader.ts';
import { type Format, NEWEST_FORMAT, NewerFormat } from '../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import { type CandleChunkDocument, readChunkDocument } from '../../src/shared/venue/venueAnswers.ts';
import { ACCOUNT_ID } from '../support/scenario.ts';
import { CHANGES, COMMANDS, FAILURES, OUTCOMES, QUERIES, SHARD_COMMANDS } from './examples.ts';
import {
  type GoldenArchive,
  type GoldenKept,
  type GoldenLife,
  type GoldenMessages,
  type GoldenText,
  goldenArchive,
  goldenCandles,
  goldenExcursions,
  goldenLife,
  goldenMessages,
  LIVES,
} from './golden.ts';
import { type Plain, toPlain } from './plainState.ts';
import { shapesOf } from './shapes.ts';

const FOLDER = new URL('../fixtures/formats/', import.meta.url);
const ALL_FORMATS = Array.from({ length: NEWEST_FORMAT }, (_, index) => (index + 1) as Format);
const FORMATS = ALL_FORMATS.filter((format) => existsSync(new URL(`${format}/`, FOLDER)));
const NEWEST_STORED = FORMATS.at(-1) as Format;

const EVENTS: Readonly<Record<AccountEvent['type'], true>> = {
  accountOpened: true,
  orderRested: true,
  orderEnded: true,
  triggerPlaced: true,
  triggersArmed: true,
  orderTriggered: true,
  triggerWaits: true,
  parentReplaced: true,
  orderResized: true,
  orderFilled: true,
  positionTakenOver: true,
  positionSettled: true,
  liquidated: true,
  positionClosed: true,
  balanceAdjusted: true,
  accountReset: true,
  historyForgotten: true,
  cancelScheduled: true,
  scheduledCancelFired: true,
  twapStarted: true,
  twapTriggered: true,
  twapSliced: true,
  twapEnded: true,
  subAccountCreated: true,
  forked: true,
  imported: true,
  followBegun: true,
  followEnded: true,
  followTermBegun: true,
  sourceOrderSeen: true,
  sourceOrderEnded: true,
  sourceFilled: true,
  sourceTaken: true,
  subAccountRenamed: true,
  transferSent: true,
  transferReceived: true,
  transferSettled: true,
  mirrorAdded: true,
  commandMirrored: true,
  mirrorSettled: true,
  mirrorEnded: true,
  mirrorReceived: true,
  requestsReserved: true,
  requestLetThrough: true,
  keyOrderCounted: true,
  dayBegun: true,
  houseRulesSet: true,
  termsSet: true,
  housePeakRaised: true,
  houseRuleBroken: true,
  houseHoursTurned: true,
  leverageSet: true,
  isolatedMarginMoved: true,
  fundingSettled: true,
  labDrawn: true,
  actionDelayed: true,
  delayedActionDecided: true,
  delayedActionsDropped: true,
  orderHeld: true,
  orderLetGo: true,
  equitySampled: true,
  queueMoved: true,
  consumptionSet: true,
};

function stored<Content>(format: Format, name: string): Content {
  return JSON.parse(readFileSync(new URL(`${format}/${name}`, FOLDER), 'utf8')) as Content;
}

const namesOf = (format: Format): string[] => readdirSync(new URL(`${format}/`, FOLDER));

const livesOf = (format: Format): GoldenLife[] =>
  namesOf(format)
    .filter((name) => name.startsWith('life-'))
    .map((name) => stored<GoldenLife>(format, name));

describe('formats: what any build has written is read by this one', () => {
  it('every generation has golden files: test/formats/writeGolden.ts makes those of a new one', () => {
    expect(FORMATS).to.deep.equal(ALL_FORMATS);
  });

  for (const format of FORMATS) {
    const lives = livesOf(format);
    const messages = stored<GoldenMessages>(format, 'messages.json');

    describe(`generation ${format}`, () => {
      it('journals fold to the states that they folded to', () => {
        for (const { journal, snapshots } of lives) {
          const account = fold(journal);
          const last = snapshots.at(-1) as GoldenLife['snapshots'][number];
          expectState(account, last.state, format);
          expect(stateHashOf(fromSnapshot(last.text))).to.equal(stateHashOf(account));
        }
      });

      it('snapshots are the states that they were taken of, and are written the same today', () => {
        for (const { journal, snapshots } of lives) {
          for (const { seq, text, state, hash } of snapshots) {
            const account = fromSnapshot(text);
            expectState(account, state, format);
            expect(toSnapshot(account, format)).to.equal(text);
            if (format === NEWEST_FORMAT) expect(stateHashOf(account)).to.equal(hash);
            const rest = journal.map(readEntry).filter((entry) => entry.seq > seq);
            expectState(rest.reduce(applyEntry, account), snapshots.at(-1)?.state ?? {}, format);
          }
        }
      });

      it('documents hold the rows, the state and the house of their journal', () => {
        for (const { journal, documents, rows } of lives) {
          const { history, orderEnds, cloids, account, shard } = documents;
          const found = history.flatMap(({ _id, rows: texts }) =>
            HISTORY_KINDS.filter((kind) => _id.includes(`:${kind}:`)).flatMap((kind) =>
              texts.map((text) => readSequencedRow(text, kind).row),
            ),
          );
          expect(inOrder(toPlain(found))).to.deep.equal(inOrder(rows));
          const ends = orderEnds.flatMap(({ rows: texts }) => texts.map((text) => readSequencedRow(text, 'orders').row));
          for (const end of ends) expect(found).to.deep.include(end);
          for (const { oid } of cloids) expect(ends.some(({ row }) => row.order.oid === oid)).to.equal(true);
          expect(fromSnapshot(account.text).seq).to.equal(account.seq);
          const house = journal.flatMap((text) => readEntry(text).events).reduce(houseAfter, EMPTY_HOUSE);
          expect(toPlain(fromStoredHouse(shard.house))).to.deep.equal(toPlain(house));
          for (const { v } of [...history, ...orderEnds, ...cloids, account, shard]) expect(v).to.equal(format);
        }
      });

      it('everything that is sent says what it said', () => {
        const { envelopes, replies, outcomes, shardCommands, changes, ticks, messages: feed } = messages;
        expectSays(envelopes, readEnvelope);
        expectSays(replies, (text) => readReplyMessage(text)[0]?.[2]);
        expectSays(outcomes, readOutcome);
        expectSays(shardCommands, readShardCommand);
        expectSays(messages.prepared, readPrepared);
        expectSays(changes, readChange);
        expectSays(ticks, (text) => readTrades(text, CHANGES.trades.tick));
        expectSays(feed, readMessage);
      });

      it('what Redis keeps of an account is the snapshot that it was made of', async () => {
        const { seq, value, text } = stored<GoldenKept>(format, 'kept.json');
        const kept = Buffer.from(value, 'base64');
        expect(await readRedisSnapshot(kept)).to.equal(text);
        expect(kept.toString('latin1')).to.match(new RegExp(`^${format} ${seq} `));
        expect(await readRedisSnapshot(await writeRedisSnapshot({ seq, text }, format))).to.equal(text);
      });

      it('a chunk of candles is what it was made of', () => {
        const golden = stored<ReturnType<typeof goldenCandles>>(format, 'candles.json');
        expect(golden.document).to.include({ v: format });
        for (const { document, says } of [golden, goldenCandles()]) {
          expect(readChunkDocument(document as unknown as CandleChunkDocument))
            .to.deep.equal(golden.says)
            .and.deep.equal(says);
          expect([...shapesOf(document)]).to.have.members([...shapesOf(golden.document)]);
          const newer = { ...(document as unknown as CandleChunkDocument), v: (NEWEST_FORMAT + 1) as Format };
          expect(readChunkDocument(newer), 'a newer one').to.equal(undefined);
        }
      });

      it('excursions are what they were made of', () => {
        const golden = stored<ReturnType<typeof goldenExcursions>>(format, 'excursions.json');
        expectSays(golden, readExcursion);
        expectSays(goldenExcursions(format), readExcursion);
        expect(golden.map(({ says }) => says)).to.deep.equal(goldenExcursions(format).map(({ says }) => says));
      });

      it('what the archive has is the entries and the state that it was made of', async () => {
        const golden = stored<GoldenArchive>(format, 'archive.json');
        for (const { chunk, state, entries, text } of [golden, await goldenArchive(format)]) {
          const parts = chunk.parts.map((part) => ({ ...part, data: Binary.createFromBase64(part.data) }));
          const found = await readChunk({ ...chunk, parts } as ChunkDocument);
          expect(found.map((entry) => entry.text))
            .to.deep.equal(golden.entries)
            .and.deep.equal(entries);
          expect(await readState({ ...state, data: Binary.createFromBase64(state.data) }))
            .to.equal(golden.text)
            .and.equal(text);
          expect(stateHashOf(fromSnapshot(text))).to.equal(state.hash);
          expect([...shapesOf({ chunk, state })]).to.have.members([...shapesOf({ chunk: golden.chunk, state: golden.state })]);
        }
      });

      it('what this build writes in it has no field, and none of another kind, that its golden files do not have', () => {
        const known = new Set(lives.flatMap((life) => [...shapesOf(formsOf(life))]));
        for (const index of LIVES) {
          const today = shapesOf(formsOf(goldenLife(index, format)));
          expect([...today].filter((shape) => !known.has(shape))).to.deep.equal([]);
        }
        const sent = shapesOf(textsOf(messages));
        expect([...shapesOf(textsOf(goldenMessages(format)))].filter((shape) => !sent.has(shape))).to.deep.equal([]);
      });
    });
  }

  describe(`golden files of generation ${NEWEST_STORED} have one of everything`, () => {
    const lives = livesOf(NEWEST_STORED);
    const { envelopes, replies, outcomes, shardCommands, changes } = stored<GoldenMessages>(NEWEST_STORED, 'messages.json');
    const said = (texts: readonly GoldenText[], key: string, path: readonly string[] = []): Set<unknown> =>
      new Set(
        texts.map(({ says }) => [...path, key].reduce<unknown>((at, each) => (at as Record<string, unknown>)?.[each], says)),
      );

    it('every event', () => {
      const events = lives.flatMap(({ journal }) => journal.flatMap((text) => readEntry(text).events));
      expect([...new Set(events.map(({ type }) => type))]).to.have.members(Object.keys(EVENTS));
    });

    it('every kind of history rows, ends of orders and client order ids', () => {
      const documents = lives.flatMap(({ documents: { history } }) => history);
      for (const kind of HISTORY_KINDS)
        expect(
          documents.some(({ _id }) => _id.includes(`:${kind}:`)),
          kind,
        ).to.equal(true);
      expect(lives.flatMap(({ documents: { orderEnds } }) => orderEnds)).not.to.have.length(0);
      expect(lives.flatMap(({ documents: { cloids } }) => cloids)).not.to.have.length(0);
    });

    it('every field of the state with something in it', () => {
      const empty = toPlain(emptyAccount('')) as Readonly<Record<string, Plain>>;
      const states = lives.flatMap(({ snapshots }) => snapshots.map(({ text }) => toPlain(fromSnapshot(text))));
      const missing = (Object.keys({ ...empty, liquidation: null }) as (keyof Account)[]).filter((key) =>
        states.every((state) => JSON.stringify((state as typeof empty)[key]) === JSON.stringify(empty[key])),
      );
      expect(missing).to.deep.equal([]);
    });

    it('every command, question, outcome, failure, job’s command and market change', () => {
      expect([...said(envelopes, 'type', ['command'])]).to.have.members(Object.keys(COMMANDS));
      expect([...said(envelopes, 'kind', ['command', 'query'])]).to.include.members(Object.keys(QUERIES));
      expect([...said(outcomes, 'type')]).to.have.members(Object.keys(OUTCOMES));
      expect([...said(outcomes, 'kind', ['answer'])]).to.include.members(Object.keys(QUERIES));
      expect([...said(replies, 'failure')]).to.include.members(FAILURES);
      expect([...said(shardCommands, 'type')]).to.have.members(Object.keys(SHARD_COMMANDS));
      expect([...said(changes, 'type')]).to.have.members(Object.keys(CHANGES));
    });

    it('a command or question is sent from the generation on that brought it', () => {
      for (let generation = 1; generation <= NEWEST_STORED; generation++) {
        const { envelopes: sent } = stored<GoldenMessages>(generation as Format, 'messages.json');
        const known = new Set([...said(sent, 'type', ['command']), ...said(sent, 'kind', ['command', 'query'])]);
        const isKnown = (command: AccountCommand): boolean => generationOf(command) <= generation;
        for (const command of Object.values(COMMANDS)) expect(known.has(command.type), command.type).to.equal(isKnown(command));
        for (const query of Object.values(QUERIES)) {
          expect(known.has(query.kind), query.kind).to.equal(isKnown({ type: 'query', query }));
        }
      }
    });

    it('each names its generation', () => {
      const texts = [
        ...lives.flatMap(({ journal }) => journal),
        ...Object.values(stored<GoldenMessages>(NEWEST_STORED, 'messages.json')).flat(),
      ];
      for (const each of texts) {
        const text = typeof each === 'string' ? each : each.text;
        expect(text).to.match(new RegExp(`"v":${NEWEST_STORED}[,}]`));
      }
    });
  });

  const readsOf = (v: string): (() => unknown)[] => [
    () => fromSnapshot(`{${v}`),
    () => readEntry(`{${v}`),
    () => readEnvelope(`{${v}`),
    () => readReplies(`[["a",1,{${v}]]`),
    () => readOutcome(`{${v}`),
    () => readSequencedRow(`{${v}`, 'fills'),
    () => readChange(`{${v}`),
    () => readExcursion(`{${v}`),
    () => readTrades(`{${v}`, '0-0'),
    () => readMessage(`{"changes":[],${v}`),
  ];

  it('what a newer build has written is refused by name, each form', () => {
    const newer = `"v":${NEWEST_FORMAT + 1}}`;
    for (const read of [...readsOf(newer), () => readShardCommand(`{${newer}`)])
      expect(read).to.throw(NewerFormat, `has format ${NEWEST_FORMAT + 1}`);
  });

  it('what names no generation is refused, each form', () => {
    for (const read of readsOf('"w":1}')) expect(read, String(read)).to.throw(SyntaxError, 'names no format');
    // It is parked.
    expect(readShardCommand('{"type":"scanLiquidation"}')).to.equal(undefined);
  });
});

const fold = (journal: readonly string[]): Account => journal.map(readEntry).reduce(applyEntry, emptyAccount(ACCOUNT_ID));

/** A state as it was written down; fields beyond that came with a later generation, and have their defaults. */
function expectState(account: Account, wanted: Plain, format: Format): void {
  const state = toPlain(account) as Readonly<Record<string, Plain>>;
  if (format === NEWEST_FORMAT) {
    expect(state).to.deep.equal(wanted);
    return;
  }
  const defaults = toPlain(emptyAccount(account.id)) as Readonly<Record<string, Plain>>;
  const later = Object.keys(state).filter((key) => !(key in (wanted as object)));
  for (const key of later) expect(state[key], key).to.deep.equal(defaults[key]);
  expect(Object.fromEntries(Object.entries(state).filter(([key]) => !later.includes(key)))).to.deep.equal(wanted);
}

function expectSays(texts: readonly GoldenText[], read: (text: string) => unknown): void {
  expect(texts).not.to.have.length(0);
  for (const { text, says } of texts) expect(toPlain(read(text))).to.deep.equal(says);
}

/** Rows by kind and number: documents keep them by kind. */
const inOrder = (rows: Plain): string[] => (rows as readonly Plain[]).map((row) => JSON.stringify(row)).sort();

/** The stored forms of a life, each text as what it holds. */
function formsOf({ journal, snapshots, documents }: GoldenLife): unknown {
  const { history, orderEnds, cloids, account, shard } = documents;
  const parsed = (texts: readonly string[]): unknown[] => texts.map((text) => JSON.parse(text));
  return {
    journal: parsed(journal),
    snapshots: parsed(snapshots.map(({ text }) => text)),
    history: history.map((document) => ({ ...document, rows: parsed(document.rows) })),
    orderEnds: orderEnds.map((document) => ({ ...document, rows: parsed(document.rows) })),
    cloids,
    account,
    shard,
  };
}

const textsOf = (messages: GoldenMessages): unknown =>
  Object.fromEntries(
    Object.entries(messages).map(([name, texts]) => [name, (texts as readonly GoldenText[]).map(({ text }) => JSON.parse(text))]),
  );
