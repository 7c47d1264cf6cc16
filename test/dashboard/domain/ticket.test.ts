import { expect } from 'chai';
import { unknownUntil } from '../../../src/dashboard/api/answer.ts';
import { shareOfMax, sizeInCoins, type Ticket, ticketAction, toAction } from '../../../src/dashboard/domain/account/ticket.ts';

const BTC = { asset: 0, sizeDecimals: 5, mid: '65000' };
const ticket = (fields: Partial<Ticket> = {}): Ticket => ({
  ...{ kind: 'Market', side: 'buy', size: '0.5', unit: 'coin', limitPrice: '', triggerPrice: '', timeInForce: 'Gtc' },
  ...{ reduceOnly: false, takeProfit: '', stopLoss: '' },
  ...fields,
});
const sent = (fields: Partial<Ticket>) => {
  const made = ticketAction(ticket(fields), BTC);
  if ('missing' in made) throw new Error(made.missing);
  return toAction(made, '0xab') as { orders: readonly object[]; grouping: string };
};

describe('the order ticket as an action', () => {
  const common = { a: 0, s: '0.5', r: false, c: '0xab' };
  const rows: readonly (readonly [name: string, fields: Partial<Ticket>, order: object])[] = [
    ['a market order: at once, 5 % beyond the mid', {}, { ...common, b: true, p: '68250', t: { limit: { tif: 'Ioc' } } }],
    ['one that sells', { side: 'sell' }, { ...common, b: false, p: '61750', t: { limit: { tif: 'Ioc' } } }],
    [
      'a limit order',
      { kind: 'Limit', limitPrice: '64000.5', timeInForce: 'Alo' },
      { ...common, b: true, p: '64000.5', t: { limit: { tif: 'Alo' } } },
    ],
    [
      'a stop, reduce-only',
      { kind: 'Stop', side: 'sell', triggerPrice: '60000', reduceOnly: true },
      { ...common, b: false, r: true, p: '57000', t: { trigger: { isMarket: true, triggerPx: '60000', tpsl: 'sl' } } },
    ],
    [
      'a take-profit',
      { kind: 'Take profit', side: 'sell', triggerPrice: '70000' },
      { ...common, b: false, p: '66500', t: { trigger: { isMarket: true, triggerPx: '70000', tpsl: 'tp' } } },
    ],
  ];
  for (const [name, fields, order] of rows)
    it(name, () => expect(sent(fields)).to.deep.equal({ type: 'order', orders: [order], grouping: 'na' }));

  it('a bracket: both exits for the whole size, against the order, reduce-only', () => {
    const { orders, grouping } = sent({ kind: 'Limit', limitPrice: '64000', takeProfit: '70000', stopLoss: '60000' });
    expect(grouping).to.equal('normalTpsl');
    expect(orders.slice(1)).to.deep.equal([
      { a: 0, b: false, s: '0.5', r: true, p: '66500', t: { trigger: { isMarket: true, triggerPx: '70000', tpsl: 'tp' } } },
      { a: 0, b: false, s: '0.5', r: true, p: '57000', t: { trigger: { isMarket: true, triggerPx: '60000', tpsl: 'sl' } } },
    ]);
  });

  const missing: readonly (readonly [fields: Partial<Ticket>, text: string])[] = [
    [{ size: '' }, 'Enter a size.'],
    [{ size: '0' }, 'Enter a size.'],
    [{ size: '1e5' }, 'Enter a size.'],
    [{ size: '0.01', unit: 'USD' }, 'Enter a size.'],
    [{ kind: 'Limit' }, 'Enter a limit price.'],
    [{ kind: 'Stop', triggerPrice: '-1' }, 'Enter a trigger price.'],
    [{ takeProfit: 'x' }, 'Take profit and stop loss are prices.'],
  ];
  for (const [fields, text] of missing)
    it(`${JSON.stringify(fields)}: ${text}`, () => expect(ticketAction(ticket(fields), BTC)).to.deep.equal({ missing: text }));

  it('USD become coins at the price of the order, cut to the lot', () => {
    expect(sizeInCoins(ticket({ unit: 'USD', size: '1000' }), BTC)).to.equal('0.01538');
    expect(sizeInCoins(ticket({ unit: 'USD', size: '1000', kind: 'Limit', limitPrice: '50000' }), BTC)).to.equal('0.02');
    expect(sizeInCoins(ticket({ unit: 'USD', size: '0.29' }), { sizeDecimals: 2, mid: '1' })).to.equal('0.29');
  });

  it('a share of the largest size is never more than it', () => {
    expect(shareOfMax(1, '0.123456', { unit: 'coin', price: '65000', sizeDecimals: 5 })).to.equal('0.12345');
    expect(shareOfMax(0.5, '0.2', { unit: 'USD', price: '65000', sizeDecimals: 5 })).to.equal('6500');
    expect(shareOfMax(0, '0.2', { unit: 'coin', price: '65000', sizeDecimals: 5 })).to.equal('');
  });
});

describe('an action without an answer', () => {
  it('is unknown until the server’s moment, or for ten seconds where nothing came', () => {
    const message = 'No answer came in time: the outcome is unknown until 2026-11-24T03:00:00.000Z; from then on';
    expect(unknownUntil({ status: 504, message }, 5)).to.equal(Date.parse('2026-11-24T03:00:00.000Z'));
    expect(unknownUntil({ status: 504, message: 'The answer was lost on its way' }, 5)).to.equal(5);
    expect(unknownUntil(undefined, 5)).to.equal(10_005);
  });

  it('a refusal is known at once', () => {
    expect(unknownUntil({ status: 503, message: 'busy' }, 5)).to.equal(undefined);
  });
});
