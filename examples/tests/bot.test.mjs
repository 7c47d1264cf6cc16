import assert from 'node:assert/strict';
import { usePaper } from 'paper-perps/mocha';

const SCENARIOS = `${process.env.EXCHANGE}/examples/scenarios`;
const ORDER = { a: 0, b: true, p: '54000', s: '0.01', r: false, t: { limit: { tif: 'Gtc' } } };

describe('the bot', () => {
  const paper = usePaper();

  it('has a resting order filled in a crash', async () => {
    await paper().control('setPrice', { coin: 'BTC', px: '60000' });
    const body = JSON.stringify({ action: { type: 'order', grouping: 'na', orders: [ORDER] }, nonce: 1 });
    await fetch(`${paper().exchangeUrl}/exchange`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await paper().scenario(`${SCENARIOS}/flash-crash.yaml`, { until: 'bottom' });
    const { value: fill } = await paper().perps.dashboard.fills().next();
    assert.equal(Number(fill.price), 54_000);
  }).timeout(60_000);
});
