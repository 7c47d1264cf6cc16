import { expect } from 'chai';
import type { EquityNote } from '../../../../src/actors/core/messages/historyRows.ts';
import { type DrawdownState, followEquity } from '../../../../src/features/alerts/rules/thresholds.ts';

/** `value/deposits`, with a position open; without one where a `!` follows. */
const point = (text: string): EquityNote => {
  const [accountValue = '', netDepositsUsd = ''] = text.replace('!', '').split('/');
  return { accountValue, balance: accountValue, netDepositsUsd, openPositions: text.endsWith('!') ? 0 : 1 };
};

/** The alert at each point: `drawdown of peak`, or none. */
function told(percent: string, points: readonly string[]): (string | undefined)[] {
  let state: DrawdownState | undefined;
  return points.map((text) => {
    const step = followEquity(state, point(text), percent);
    state = step.state;
    return step.alert && `${step.alert['drawdown_percent']} of ${step.alert['peak']}`;
  });
}

describe('drawdown: a fall from the peak of the equity', () => {
  const no = undefined;
  const cases: { name: string; percent: string; points: readonly string[]; want: readonly (string | undefined)[] }[] = [
    { name: '9.99 percent is not 10', percent: '10', points: ['10000/10000!', '9000.01/10000'], want: [no, no] },
    { name: '10 percent is', percent: '10', points: ['10000/10000!', '9000/10000'], want: [no, '10 of 10000.0'] },
    {
      name: 'the peak is the highest point, and the share is cut to two decimals',
      percent: '10',
      points: ['10000/10000!', '12000/10000', '11000/10000', '10777/10000'],
      want: [no, no, no, '10.19 of 12000.0'],
    },
    {
      name: 'once, and again after it was below nine tenths of the threshold',
      percent: '10',
      points: ['100/100!', '90/100', '85/100', '91/100', '90/100', '91.01/100', '90/100'],
      want: [no, '10 of 100.0', no, no, no, no, '10 of 100.0'],
    },
    {
      name: 'money that leaves is no fall: a tenth of what is left is',
      percent: '10',
      points: ['10000/10000!', '12000/10000', '6000/4000', '5401/4000', '5400/4000'],
      want: [no, no, no, no, '10 of 6000.0'],
    },
    {
      name: 'money that comes in a fall leaves its share as it is',
      percent: '20',
      points: ['1000/1000!', '900/1000', '1800/1900', '1601/1900', '1600/1900'],
      want: [no, no, no, no, '20 of 2000.0'],
    },
    {
      name: 'a reset begins anew',
      percent: '10',
      points: ['10000/10000!', '15000/10000', '10000/10000!', '9001/10000', '9000/10000'],
      want: [no, no, no, no, '10 of 10000.0'],
    },
    {
      name: 'below nothing is beyond every threshold, and new money begins anew',
      percent: '100',
      points: ['100/100!', '-5/100', '45/150', '0.5/150'],
      want: [no, '105 of 100.0', no, no],
    },
  ];
  for (const { name, percent, points, want } of cases)
    it(name, () => {
      expect(told(percent, points)).to.deep.equal(want);
    });

  it('a threshold that is changed is told anew', () => {
    const { state } = followEquity(followEquity(undefined, point('100/100!'), '10').state, point('85/100'), '10');
    expect(followEquity(state, point('84/100'), '10').alert).to.equal(undefined);
    expect(followEquity(state, point('84/100'), '15').alert).to.include({ percent: '15', drawdown_percent: '16' });
  });
});
