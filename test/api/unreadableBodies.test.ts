// Any JSON that a client sends is answered by the two endpoints or refused with a 4xx. Nothing else is ever thrown,
// and the account stays sound.
import { expect } from 'chai';
import fc from 'fast-check';
import { actionTypes, runAction } from '../../src/api/exchange/runAction.ts';
import { answerInfo, infoTypes } from '../../src/api/info/answerInfo.ts';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { wireOrder } from '../support/orderWire.ts';

const RUNS = 60;

/** Any JSON value that a parser can hand over, with numbers of every size and text of every script. */
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    -0,
    1e21,
    -1,
    0.5,
    2 ** 53,
    2 ** 53 + 2,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    '',
    '0',
    '-1',
    '1e3',
    '٣',
    'Ω≈ç',
  ),
  fc.constantFrom<unknown>(
    '9'.repeat(10_000),
    '0x',
    'null',
    [],
    {},
    [[[]]],
    { toString: 1 },
    JSON.parse('{"__proto__":{"type":"meta"}}'),
  ),
);

const order = wireOrder(0, { px: '50000', sz: '0.001', cloid: `0x${'a'.repeat(32)}` });
/** A readable body of every kind, to be spoiled in one place. */
const infoFields: object = {
  user: ADDRESS,
  dex: '',
  coin: 'BTC',
  oid: 5,
  tid: 5,
  id: 50,
  startTime: 0,
  endTime: 5,
  interval: '1m',
  nSigFigs: 5,
  mantissa: 2,
  aggregateByTime: true,
  reversed: true,
  builder: ADDRESS,
  source: ADDRESS,
  req: { coin: 'BTC', interval: '1m', startTime: 0, endTime: 5 },
};
const actions: readonly object[] = [
  { type: 'order', orders: [order, order], grouping: 'na', builder: { b: ADDRESS, f: 1 } },
  { type: 'cancel', cancels: [{ a: 0, o: 5 }] },
  { type: 'cancelByCloid', cancels: [{ asset: 0, cloid: order.c }] },
  { type: 'modify', oid: 5, order },
  { type: 'batchModify', modifies: [{ oid: 5, order }] },
  { type: 'updateLeverage', asset: 0, isCross: true, leverage: 5 },
  { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 5 },
  { type: 'topUpIsolatedOnlyMargin', asset: 0, leverage: '2.5' },
  { type: 'scheduleCancel', time: 2 ** 45 },
  { type: 'twapOrder', twap: { a: 0, b: true, s: '1', r: false, m: 30, t: false }, details: { t: null, s: null } },
  { type: 'twapOrder', a: 0, b: true, s: '1', r: false, m: 30, t: false },
  { type: 'twapCancel', twap: { a: 0, t: 5 } },
  { type: 'createSubAccount', name: 'grid' },
  { type: 'subAccountModify', subAccountUser: subAccountAddress(ADDRESS, 1), name: 'hedge' },
  { type: 'subAccountTransfer', subAccountUser: subAccountAddress(ADDRESS, 1), isDeposit: true, usd: 1_000_000 },
  { type: 'usdClassTransfer', amount: '1', toPerp: true, nonce: 1 },
  { type: 'approveAgent', agentAddress: ADDRESS, nonce: 1 },
  { type: 'approveBuilderFee', builder: ADDRESS },
  { type: 'noop' },
  { type: 'reserveRequestWeight', weight: 1 },
  { type: 'setReferrer', code: 'CODE' },
];

/** Places within a JSON value, as lists of keys. */
function placesOf(value: unknown, place: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  const entries: [string, unknown][] = Object.entries(value);
  return [place, ...entries.flatMap(([key, inner]) => placesOf(inner, [...place, key]))];
}

/** The value with `spoiled` at a place. */
function spoil(value: unknown, [key, ...rest]: readonly (string | number)[], spoiled: unknown): unknown {
  if (key === undefined) return spoiled;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  (copy as Record<string | number, unknown>)[key] = spoil((value as Record<string | number, unknown>)[key], rest, spoiled);
  return copy;
}

function withVenue(): ExchangeInMemory {
  const exchange = new ExchangeInMemory();
  exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] });
  for (const type of ['candleSnapshot', 'fundingHistory', 'predictedFundings', 'perpsAtOpenInterestCap']) {
    exchange.upstreamAnswers.set(type, []);
  }
  const spotMeta = { universe: [], tokens: [] };
  exchange.upstreamAnswers.set('spotMeta', spotMeta).set('spotMetaAndAssetCtxs', [spotMeta, []]);
  exchange.upstreamAnswers.set('perpDexs', [null, { name: 'xyz' }]).set('allPerpMetas', []);
  exchange.upstreamAnswers.set('l2Book', null).set('recentTrades', []);
  return exchange;
}

/** True when a body was answered, false when it was refused with a 4xx; anything else is the fault looked for. */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  try {
    expect(await answer).not.to.equal(undefined);
    return true;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    expect(error.status).to.be.within(400, 499);
    expect(error.message.length).to.be.below(400);
    return false;
  }
}

describe('any JSON is answered or refused with a 4xx', () => {
  for (const type of infoTypes()) {
    it(`info ${type}`, async () => {
      const exchange = withVenue();
      expect(await isAnswered(exchange.info({ ...infoFields, type })), 'the unspoiled body').to.equal(true);
      const spoiled = fc.tuple(fc.constantFrom(...placesOf(infoFields).slice(1)), anyJson);
      await fc.assert(
        fc.asyncProperty(spoiled, async ([place, value]) => {
          await isAnswered(exchange.info({ ...(spoil(infoFields, place, value) as object), type }));
        }),
        { numRuns: RUNS },
      );
    });
  }

  for (const action of actions) {
    it(`exchange ${(action as { type: string }).type}`, async () => {
      const exchange = withVenue();
      expect(await isAnswered(exchange.exchange(action)), 'the unspoiled action').to.equal(true);
      const spoiled = fc.tuple(fc.constantFrom(...placesOf(action)), anyJson);
      await fc.assert(
        fc.asyncProperty(spoiled, async ([place, value]) => {
          await isAnswered(exchange.exchange(spoil(action, place, value)));
          const { marginSummary } = await exchange.info({ type: 'clearinghouseState' });
          expect(marginSummary.accountValue).to.match(/^\d+\.\d+$/);
        }),
        { numRuns: RUNS * 4 },
      );
    });
  }

  it('whole bodies of any form', async () => {
    const exchange = withVenue();
    await fc.assert(
      fc.asyncProperty(anyJson, async (body) => {
        expect(await isAnswered(answerInfo(body, exchange.call, exchange.services))).to.equal(false);
        expect(await isAnswered(runAction(body, exchange.call, exchange.services))).to.equal(false);
        await isAnswered(exchange.exchange(body, { expiresAfter: body }));
      }),
    );
  });

  it('a body nested 10,000 deep', async () => {
    const exchange = withVenue();
    const deep: unknown = JSON.parse(`${'{"action":'.repeat(10_000)}1${'}'.repeat(10_000)}`);
    expect(await isAnswered(runAction(deep, exchange.call, exchange.services))).to.equal(false);
    expect(await isAnswered(exchange.info({ type: 'l2Book', coin: deep }))).to.equal(false);
    expect(await isAnswered(exchange.exchange({ type: 'order', orders: deep }))).to.equal(false);
  });

  it('covers every action', () => {
    const types = new Set(actions.map((action) => (action as { type: string }).type));
    expect([...types]).to.have.members(actionTypes());
  });
});
