import { expect } from 'chai';
import { CAUSES } from '../../../src/api/operations/operators.ts';
import { limitBeyond } from '../../../src/dashboard/domain/account/ticket.ts';
import { agentName } from '../../../src/dashboard/domain/agentName.ts';
import { causeText } from '../../../src/dashboard/domain/conditionText.ts';
import { hearingText } from '../../../src/dashboard/domain/hearingText.ts';
import { liquidationDistance, markOf } from '../../../src/dashboard/domain/market/liquidationDistance.ts';
import { matchRoute } from '../../../src/dashboard/domain/matchRoute.ts';
import { age, grouped, moment, percent, signOf, usd } from '../../../src/dashboard/domain/texts.ts';

const THIN = '\u202f';
const spaced = (text: string): string => text.replaceAll(' ', THIN);

describe('numbers of the dashboard keep the digits of the server', () => {
  const rows: readonly (readonly [text: string, shown: string])[] = [
    ['0', '0.00'],
    ['-0.004', '0.00'],
    ['9999.999', '9 999.99'],
    ['-1234567.8', '−1 234 567.80'],
    ['123456789012345678901234567890.129', '123 456 789 012 345 678 901 234 567 890.12'],
    ['NaN', 'NaN'],
  ];
  for (const [text, shown] of rows) it(`${text} USD is ${shown}`, () => expect(usd(text)).to.equal(spaced(shown)));

  it('a gain has its sign, nothing has none', () => {
    expect(usd('12.5', { isSigned: true })).to.equal('+12.50');
    expect(usd('0.001', { isSigned: true })).to.equal('0.00');
    expect([signOf('-0.0'), signOf('0.0001'), signOf('-3')]).to.deep.equal([0, 1, -1]);
  });

  it('groups without a change of digits, and leaves what is no number alone', () => {
    expect(grouped('1000.50000')).to.equal(spaced('1 000.50000'));
    expect(grouped('<b>')).to.equal('<b>');
  });

  it('a share is a percentage; none of an infinite one', () => {
    expect(percent('0.0134855704')).to.equal(spaced('1.35 %'));
    expect(percent(-0.5, { isSigned: true, decimals: 0 })).to.equal(spaced('−50 %'));
    expect(percent(Number.NaN)).to.equal('–');
  });
});

describe('what else the dashboard says', () => {
  it('whether the venue is heard about an address', () => {
    const heard = { state: 'following', connected: true, caught_up: true } as const;
    expect(hearingText(heard)).to.equal('heard, and nothing is missed');
    expect(hearingText({ ...heard, caught_up: false })).to.equal('heard; what was missed is being made up for');
    expect(hearingText({ ...heard, connected: false, caught_up: false })).to.match(/^not heard at the moment; /);
    expect(hearingText({ ...heard, state: 'starting' })).to.equal('beginning to follow');
    expect(hearingText(null)).to.equal('no longer followed');
  });

  it('ages and moments', () => {
    expect([-5, 999, 8_400, 180_000, 7_200_000, 345_600_000].map(age)).to.deep.equal([
      'now',
      'now',
      '8 s',
      '3 min',
      '2 h',
      '4 d',
    ]);
    const at = Date.UTC(2026, 10, 23, 22, 40, 5);
    expect(moment(at, { zone: 'utc', nowMs: at })).to.equal('11-23 22:40:05');
    expect(moment(at, { zone: 'utc', nowMs: Date.UTC(2027, 0, 1) })).to.equal('2026-11-23 22:40:05');
  });

  it('a liquidation is as far as the mark is from its price; without one there is no distance', () => {
    expect(liquidationDistance('100', '95')).to.equal(0.05);
    expect(liquidationDistance('100', '110')).to.equal(0.1);
    expect(liquidationDistance('100', null)).to.equal(undefined);
    expect(liquidationDistance('', '95')).to.equal(undefined);
    expect(markOf({ notional: '19837.05', size: '0.3' })).to.equal('66123.5');
  });

  it('a closing order keeps to the grid of prices: five digits, and no more decimals than the coin allows', () => {
    expect(limitBeyond('sell', '66747.0', 5)).to.equal('63410');
    expect(limitBeyond('buy', '66747.0', 5)).to.equal('70084');
    expect(limitBeyond('sell', '0.0036635', 0)).to.equal('0.00348');
    expect(limitBeyond('buy', '100', 2)).to.equal('105');
  });

  it('an address finds its page, with the id in it', () => {
    const pages = new Map([
      ['/fills', 'list'],
      ['/fills/:tid', 'one'],
    ]);
    expect(matchRoute('/fills', pages)).to.deep.equal({ page: 'list', params: {} });
    expect(matchRoute('/fills/', pages)?.page).to.equal('list');
    expect(matchRoute('/fills/16%2F8', pages)).to.deep.equal({ page: 'one', params: { tid: '16/8' } });
    expect(matchRoute('/fills/%', pages)?.params).to.deep.equal({ tid: '%' });
    expect(matchRoute('/fills/1/2', pages)).to.equal(undefined);
  });
});

describe('the name of a browser or program in the list of sessions', () => {
  const cases: readonly (readonly [agent: string, want: string])[] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', 'unknown'],
    ['x'.repeat(60), `${'x'.repeat(39)}…`],
  ];
  for (const [agent, want] of cases) it(`${want}: ${agent.slice(0, 60)}`, () => expect(agentName(agent)).to.equal(want));
});

describe('the condition of the exchange in words', () => {
  it('has a sentence for every cause that the API names, and shows one of a newer API as it is', () => {
    for (const cause of CAUSES) expect(causeText(cause)).to.match(/^[A-Z].*\.$/);
    expect(causeText('moon_away')).to.equal('moon_away');
  });
});
