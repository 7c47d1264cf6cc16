// The same checks over the wire: every info type, asked of the running exchange for an account that has traded, against a
// client library's response schemas and the venue's recorded market answers.
import { expect } from 'chai';
import { orderAction } from '../support/orderWire.ts';
import { type Recording, readRecording } from '../support/recordings.ts';
import type { Stack, TestAccount } from '../support/stack.ts';
import { missingFrom } from '../support/superset.ts';
import { CLOID, complaints, requests } from './clientSchemas.ts';
import { sharedStack } from './sharedStack.ts';

const DAY_MS = 86_400_000;

/** Market answers that are made or passed on from live data here, not from the recording itself. */
const MARKET_RECORDINGS = [
  'info.candleSnapshot',
  'info.fundingHistory.range',
  'info.l2Book',
  'info.meta',
  'info.metaAndAssetCtxs',
  'info.recentTrades',
  'info.spotMeta',
  'info.spotMetaAndAssetCtxs',
];

describe('the running exchange answers as the venue does', function () {
  this.timeout(600_000);
  let stack: Stack;
  let account: TestAccount;

  before(async () => {
    ({ stack } = await sharedStack());
    account = await stack.register();
    const { universe } = (await stack.info(account.apiKey, { type: 'meta' })).body;
    const hype = universe.findIndex(({ name }: { name: string }) => name === 'HYPE');
    const mids = (await stack.info(account.apiKey, { type: 'allMids' })).body;
    const far = String(Math.floor(Number(mids.HYPE) / 2));
    await stack.exchange(account.apiKey, { type: 'updateLeverage', asset: hype, isCross: false, leverage: 5 });
    const placed = await stack.exchange(
      account.apiKey,
      orderAction(hype, { px: '0', sz: '2', tif: 'Ioc' }, { px: far, sz: '2', cloid: CLOID }, { px: far, sz: '2', tif: 'Alo' }),
    );
    const kinds = placed.body.response.data.statuses.map((status: object) => Object.keys(status)[0]);
    expect(kinds, JSON.stringify(placed.body)).to.deep.equal(['filled', 'resting', 'resting']);
  });

  for (const [type, fields] of Object.entries(requests)) {
    it(`info ${type}`, async () => {
      const answer = await stack.info(account.apiKey, { type, ...recent(fields) });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect(complaints('info', type, answer.body)).to.deep.equal([]);
    });
  }

  for (const name of MARKET_RECORDINGS) {
    it(`${name} is matched`, async () => {
      const recording: Recording = readRecording(name);
      const { body } = await stack.info(account.apiKey, recent(recording.request));
      expect(missingFrom(body, recording.response)).to.deep.equal([]);
    });
  }

  it('candles are the rows of candleSnapshot', async () => {
    const req = { coin: 'BTC', interval: '1h', startTime: Date.now() - DAY_MS, endTime: Date.now() - DAY_MS / 2 };
    const candles = await stack.info(account.apiKey, { type: 'candles', ...req });
    const snapshot = await stack.info(account.apiKey, { type: 'candleSnapshot', req });
    expect(candles.body.length).to.be.within(12, 13);
    expect(candles.body).to.deep.equal(snapshot.body);
  });
});

/** The request with times that the emulated venue's past covers. */
function recent(fields: object): object {
  const text = JSON.stringify(fields, (name, value) =>
    name === 'endTime' ? undefined : name === 'startTime' ? Date.now() - DAY_MS : value,
  );
  return JSON.parse(text);
}
