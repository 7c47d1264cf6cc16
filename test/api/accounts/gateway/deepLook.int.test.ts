// Which commands have a node ask for the aggregated book of a coin (rule 3.5): all that take more of it than is displayed, and nothing that its own form
// refuses. The test reads the messages for the leader from Redis.
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import { DeepLook } from '../../../../src/api/accounts/gateway/deepLook.ts';
import { LiveMarket } from '../../../../src/market/domain/liveMarket.ts';
import { marketKeys } from '../../../../src/shared/redis/keys.ts';
import { modifyAlways, place } from '../../../support/scenario.ts';
import { openRedis, type Store, startRedis } from '../../../support/stores.ts';

describe('deepLook: what is asked before a command goes', () => {
  let store: Store;
  let redis: Redis;
  const market = new LiveMarket({ maxAgeMs: 15_000 });
  const nowMs = 1_795_329_600_000;

  before(async () => {
    store = await startRedis();
    redis = openRedis(store.url);
    const universe = ['BTC', 'ETH', 'SOL', 'OLD'].map((name) => {
      return { name, szDecimals: 2, maxLeverage: 20, marginTableId: 20, ...(name === 'OLD' && { isDelisted: true }) };
    });
    market.apply({ type: 'meta', meta: { universe, marginTables: [] } });
    for (const { name: coin } of universe) {
      market.apply({ type: 'book', coin, timeMs: nowMs, bids: [['99', '10', 1]], asks: [['100', '10', 1]] });
      const context = { markPx: '99.5', oraclePx: '99.5', midPx: '99.5' };
      market.apply({ type: 'context', coin, timeMs: nowMs, context } as unknown as Parameters<LiveMarket['apply']>[0]);
    }
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });
  beforeEach(() => redis.del(marketKeys.deepWants));

  const node = (): DeepLook => {
    return new DeepLook({
      ...{ redis, market },
      log: pino({ level: 'silent' }),
      now: () => nowMs,
      realNow: () => nowMs,
    });
  };
  const toldAfter = async (...commands: AccountCommand[]): Promise<string[]> => {
    const deep = node();
    for (const command of commands) {
      await deep.before('usr', command);
    }
    const fields = Object.entries(await redis.hgetall(marketKeys.deepWants));
    return fields.map(([field, text]) => [field.split(' ')[0], ...text.split(' ').slice(1)].join(' ')).sort();
  };
  const large = { size: '15', limitPrice: '105', tif: 'ioc' } as const;
  const twap = { type: 'startTwap', asset: 2, side: 'buy', minutes: 5, reduceOnly: false, randomize: false } as const;
  const dry = (command: AccountCommand) => ({ type: 'query', query: { kind: 'dryRun', command } }) as AccountCommand;

  const cases: { name: string; command: AccountCommand; want: string[] }[] = [
    { name: 'an order of more than is displayed', command: place(large), want: ['SOL 15 asked usr'] },
    {
      name: 'orders that are more together',
      command: place({ ...large, size: '6' }, { ...large, size: '5' }),
      want: ['SOL 11 asked usr'],
    },
    { name: 'as much as is displayed', command: place({ ...large, size: '10' }), want: [] },
    { name: 'up to the last displayed price', command: place({ ...large, limitPrice: '100' }), want: [] },
    { name: 'a market order without a price', command: place({ ...large, limitPrice: '0' }), want: ['SOL 15 asked usr'] },
    { name: 'one that may only rest', command: place({ ...large, tif: 'alo' }), want: [] },
    { name: 'a modify to more', command: modifyAlways({ target: { oid: 1 }, order: large }), want: ['SOL 15 asked usr'] },
    { name: 'a dry run', command: dry(place(large)), want: ['SOL 15 asked usr'] },
    { name: 'the first slice of a TWAP', command: { ...twap, size: '165' }, want: ['SOL 15 asked usr'] },
    { name: 'a TWAP with small slices', command: { ...twap, size: '110' }, want: [] },
    { name: 'refused: no such coin', command: place({ ...large, asset: 77 }), want: [] },
    { name: 'refused: a delisted coin', command: place({ ...large, asset: 3 }), want: [] },
    { name: 'refused: no whole lots', command: place({ ...large, size: '15.001' }), want: [] },
    { name: 'refused: a price off the tick', command: place({ ...large, limitPrice: '105.0001' }), want: [] },
    { name: 'refused: worth more than an order may be', command: place({ ...large, size: '50000' }), want: [] },
    { name: 'refused: a Gtc without a price', command: place({ ...large, limitPrice: '0', tif: 'gtc' }), want: [] },
  ];
  for (const { name, command, want } of cases) it(name, async () => expect(await toldAfter(command)).to.deep.equal(want));

  it('an order in a failure lab asks as any other', async () => {
    const note = { key: 'key_1', on: 'exchange', number: 3, atMs: nowMs, draw: 0.25, answerMs: 0 } as const;
    expect(await toldAfter({ type: 'inLab', note, command: place(large) } as AccountCommand)).to.deep.equal(['SOL 15 asked usr']);
  });

  it('on a market that is not fresh nothing is placed, and nothing is asked', async () => {
    market.apply({ type: 'book', coin: 'BTC', timeMs: nowMs + 1, bids: [['101', '10', 1]], asks: [['100', '10', 1]] });
    expect(await toldAfter(place({ ...large, asset: 0 }))).to.deep.equal([]);
  });

  it('waits 500 ms at most, and not at all for a book that is there', async () => {
    const deep = node();
    const timed = async (): Promise<number> => {
      const beganAt = performance.now();
      await deep.before('usr', place(large));
      return performance.now() - beganAt;
    };
    expect(await timed()).to.be.at.least(499);
    const levels = { bids: [['90', '100', 1]], asks: [['110', '100', 1]] } as const;
    market.apply({ type: 'deep', coin: 'SOL', timeMs: nowMs, digits: 3, ...levels });
    expect(await timed()).to.be.below(400);
  });
});
