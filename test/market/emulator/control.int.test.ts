import { expect } from 'chai';
import { control, startEmulator, type TestMarket } from '../../support/market.ts';

describe('emulator’s control: programs of this machine use it, web pages cannot', () => {
  let venue: TestMarket;
  before(async () => {
    venue = await startEmulator();
  });
  after(() => venue.stop());

  const body = JSON.stringify({ op: 'setMark', coin: 'BTC', px: '60003.0' });
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${venue.url}/control`, { method: 'POST', headers, body })).status;

  it('takes a call with the header X-Control', () => control(venue.url, { op: 'setMark', coin: 'BTC', px: '60003.0' }));

  const refused: [name: string, headers: Record<string, string>][] = [
    ['a plain POST, which any page can send', {}],
    ['a POST of a form', { 'content-type': 'text/plain' }],
    ['another value of the header', { 'x-control': '0' }],
    ['a page, even with the header', { 'x-control': '1', origin: 'https://evil.example' }],
    ['a page without an origin of its own', { 'x-control': '1', origin: 'null' }],
  ];
  for (const [name, headers] of refused) it(`refuses ${name}`, async () => expect(await status(headers)).to.equal(403));

  it('answers no preflight that would let a page send the header', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-headers': 'x-control' };
    const answer = await fetch(`${venue.url}/control`, { method: 'OPTIONS', headers });
    expect(answer.status).to.equal(403);
    expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
  });
});
