import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { NumberedRow } from '../../../src/actors/core/messages/historyRows.ts';
import { ALERT_KINDS } from '../../../src/features/alerts/rules/alertKinds.ts';
import { alertLines, alertMail, alertOf, ROWS_OF } from '../../../src/features/alerts/rules/alertMessage.ts';

const at = '2026-11-26T12:00:00.000Z';
const ACCOUNT = `0x${'a'.repeat(40)}`;
const of = { account: ACCOUNT, seq: 42 };
const message = (type: string, data: object): string => JSON.stringify({ type, timestamp: at, data });

describe('alerts of rows', () => {
  it('each kind that is found in rows is told of a row of the golden lives; a drawdown needs several', () => {
    const forms = new URL('../../fixtures/formats/1/', import.meta.url);
    const lives = readdirSync(forms).filter((name) => name.startsWith('life-'));
    const rows = lives.flatMap((name): NumberedRow[] => JSON.parse(readFileSync(new URL(name, forms), 'utf8')).rows);
    const told = new Set(rows.flatMap((row) => alertOf(row)?.type ?? []));
    const inRows = ALERT_KINDS.filter((kind) => ROWS_OF[kind].length > 0 && kind !== 'drawdown');
    expect(told).to.deep.equal(new Set(inRows));
  });
});

describe('alerts where a person reads them', () => {
  const end = `. Account ${ACCOUNT}, entry 42`;
  const cases: readonly (readonly [type: string, data: object, line: string])[] = [
    [
      'fill',
      {
        ...{ ...of, tid: 7, oid: 5, coin: 'BTC', side: 'sell', direction: 'Close Long', price: '50000', size: '0.001' },
        ...{ closed_pnl: '-1.5', fee: '0.0225', liquidity: 'maker' },
      },
      `sold 0.001 BTC at 50000 (Close Long, maker, fee 0.0225, closed PnL -1.5), order 5, fill 7${end}`,
    ],
    [
      'order_ended',
      { ...of, oid: 5, status: 'canceled', side: 'buy', filled_size: '0', size: '1', coin: 'ETH', limit_price: '2000' },
      `order 5 ended: canceled. buy 0 of 1 ETH, limit 2000${end}`,
    ],
    [
      'liquidation',
      {
        ...{ ...of, lid: 1, margin_mode: 'cross', notional: '55500', account_value: '469.74955' },
        positions: [
          { coin: 'BTC', size: '1' },
          { coin: 'ETH', size: '-2' },
        ],
      },
      `liquidation 1 (cross): account value 469.74955 USD, positions of 55500 USD: 1 BTC, -2 ETH${end}`,
    ],
    [
      'margin',
      {
        ...of,
        percent: '80',
        margin_ratio_percent: '90.61',
        margin_mode: 'cross',
        coin: null,
        account_value: '769',
        maintenance_margin: '697',
      },
      `margin ratio 90.61 %, threshold 80 % (cross): account value 769 USD, maintenance margin 697 USD${end}`,
    ],
    [
      'margin',
      { ...of, percent: '80', margin_ratio_percent: null, coin: 'BTC', account_value: '-5', maintenance_margin: '697' },
      `margin ratio beyond all, threshold 80 % (BTC): account value -5 USD, maintenance margin 697 USD${end}`,
    ],
    [
      'drawdown',
      { ...of, percent: '10', drawdown_percent: '12.1', peak: '10000', account_value: '8790' },
      `drawdown 12.1 %, threshold 10 %: account value 8790 USD, peak 10000 USD${end}`,
    ],
    [
      'house_rule',
      { ...of, rule: 'daily_loss', act: 'close', coin: null, found: '100.5' },
      `house rule daily_loss is broken (close): 100.5${end}`,
    ],
    [
      'house_rule',
      { ...of, rule: 'coins', act: 'warn', coin: 'SOL', found: null },
      `house rule coins is broken (warn) in SOL${end}`,
    ],
    [
      'bot_silent',
      { account: ACCOUNT, minutes: 15, last_request_at: at },
      `no request of the bot for 15 minutes; the last one at ${at}. Account ${ACCOUNT}`,
    ],
    ['trial_end', { of: 'trial', stage: 'day_before', ends_at: at }, `the trial ends at ${at}`],
    ['trial_end', { of: 'subscription', stage: 'over', ends_at: at }, `the subscription has ended at ${at}`],
    ['new_key', { key_id: 'key_1', address: '198.51.100.7' }, 'a new API key: key_1, from 198.51.100.7'],
    ['new_device', { address: '2001:db8::1' }, 'a login from a new device or network: 2001:db8::1'],
    ['test', { endpoint: 'ale_1' }, 'a test of the endpoint ale_1'],
  ];
  for (const [type, data, line] of cases) {
    it(`${type}: ${line.slice(0, 40)}`, () => {
      expect(alertLines([message(type, data)], 400)).to.deep.equal([`${at} ${line}`]);
    });
  }

  it('each kind has a line', () => expect(new Set(cases.map(([type]) => type))).to.deep.equal(new Set([...ALERT_KINDS, 'test'])));

  it('nothing in a message can write a line or a header of its own, and a line has an end', () => {
    const evil = message('new_device', { address: 'x\r\nBcc: all@example.com\r\n\r\n\u202e' });
    const { text } = alertMail([evil], 'https://paper.example.com/alerts');
    expect(text.split('\n')).to.have.length(3);
    expect(text).to.match(/^[\x20-\x7e\n]*$/);
    const [cut = ''] = alertLines([message('new_device', { address: 'x'.repeat(5000) })], 400);
    expect(cut)
      .to.have.length(400)
      .and.match(/x\.\.\.$/);
  });

  it('a mail says how many alerts of which kinds it has', () => {
    const bodies = [
      message('test', { endpoint: 'ale_1' }),
      message('new_device', { address: 'a' }),
      message('test', { endpoint: 'ale_1' }),
    ];
    expect(alertMail(bodies, 'link').subject).to.equal('3 alerts: test, new device');
    expect(alertMail(bodies.slice(0, 1), 'link').subject).to.equal('Alert: test');
    expect(alertMail(bodies, 'link').text.split('\n')).to.have.length(5);
  });
});
