import { expect } from 'chai';
import type { AccountEntry } from '../../../../src/actors/domain/messages/entry.ts';
import { noRows } from '../../../../src/actors/domain/messages/historyRows.ts';
import type { Call } from '../../../../src/api/accounts/services.ts';
import type { AccountAnswers } from '../../../../src/api/stream/account/accountAnswers.ts';
import type { AccountFeeds, UpdateListener } from '../../../../src/api/stream/account/accountFeeds.ts';
import { toUpdate } from '../../../../src/api/stream/account/accountUpdate.ts';
import { replay } from '../../../../src/api/stream/account/replay.ts';
import { rowStream } from '../../../../src/api/stream/account/rowStream.ts';
import type { Subscriber } from '../../../../src/api/stream/channel/channel.ts';
import { closeCodes } from '../../../../src/api/stream/closeCodes.ts';

const call = { caller: { accountId: '0xaa', address: '0xaa' } } as Call;

/** An action of a thousand orders, each of which has ended. */
const heavy = (seq: number): AccountEntry =>
  ({
    ...{ accountId: '0xaa', seq, timeMs: seq, firstRows: { ...noRows(), orders: 1000 * seq } },
    events: Array.from({ length: 1000 }, (_, oid) => ({ type: 'orderEnded', order: { oid }, status: 'canceled' })),
  }) as unknown as AccountEntry;

describe('what a subscription may hold of an account’s past is bounded in rows, however few entries have them', () => {
  const answersOf = (entries: readonly AccountEntry[]): AccountAnswers =>
    ({
      entries: async (_call: Call, afterSeq: number) => ({
        ...{ kind: 'entries', firstSeq: 0, lastGoneSeqs: noRows(), seq: entries.length },
        entries: entries.filter(({ seq }) => seq > afterSeq).slice(0, 5),
      }),
    }) as unknown as AccountAnswers;
  const entries = (count: number) => Array.from({ length: count }, (_, i) => heavy(i + 1));
  const asked = { kinds: ['orders'], afterSeq: 0 } as const;

  it('a replay of 30 such actions is answered, one of 31 is not', async () => {
    const { updates, seq } = await replay(answersOf(entries(30)), call, asked);
    expect([updates.length, seq]).to.deep.equal([30, 30]);
    const refusal: unknown = await replay(answersOf(entries(31)), call, asked).catch((error: unknown) => error);
    expect(refusal).to.include({ status: 400, code: 'replay_too_long' });
  });

  it('rows of other kinds are not held', async () => {
    const { updates } = await replay(answersOf(entries(60)), call, { kinds: ['fills'], afterSeq: 0 });
    expect(updates).to.deep.equal([]);
  });

  it('a client that does not read while its subscription opens is closed at 30,000 rows', async () => {
    let listener: UpdateListener | undefined;
    const feeds = {
      listen: async (_accountId: string, listening: UpdateListener) => {
        listener = listening;
      },
      leave: () => undefined,
    };
    const closed: unknown[] = [];
    const subscriber = {
      ...{ call: () => call, send: () => undefined, isSlow: () => true, close: (code: unknown) => closed.push(code) },
      waitForTurn: async () => () => undefined,
    };
    const { open } = rowStream(
      { type: 'orderUpdates', kinds: ['orders'], read: () => ({ type: 'orderUpdates' }), messages: () => [] },
      { answers: answersOf([]), feeds: feeds as unknown as AccountFeeds },
    );
    const { start, close } = await open({ type: 'orderUpdates' }, subscriber as unknown as Subscriber);
    start();
    for (let seq = 1; seq <= 30; seq++) listener?.onUpdate(toUpdate(heavy(seq)));
    expect(closed).to.deep.equal([]);
    listener?.onUpdate(toUpdate(heavy(31)));
    expect(closed).to.deep.equal([closeCodes.slow]);
    close();
  });
});
