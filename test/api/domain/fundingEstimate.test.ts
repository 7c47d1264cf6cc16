import { expect } from 'chai';
import { fundingEstimate } from '../../../src/api/domain/fundingEstimate.ts';

describe('fundingEstimate: what the next settlement would be at the rates of now', () => {
  const at = (time: string): number => Date.parse(`2026-11-20T${time}:00.000Z`);
  const settlementMs = at('08:00');
  const long = { signedSize: '2', funding: '0.0000125', oraclePx: '2000' };
  const rows: readonly (readonly [name: string, nowMs: number, position: typeof long, want: string])[] = [
    ['the running hour is the last one before the settlement', at('07:59'), long, '-0.35'],
    ['at an hour the hours after it count', at('07:00'), long, '-0.35'],
    ['three hours are left', at('05:30'), long, '-0.45'],
    ['a short is paid for what a long pays', at('05:30'), { ...long, signedSize: '-2' }, '-0.15'],
    ['each hour is cut after six decimals', at('05:30'), { ...long, signedSize: '0.00001' }, '-0.3'],
    ['without a position the pending hours are all', at('01:00'), { ...long, signedSize: '0' }, '-0.3'],
  ];
  for (const [name, nowMs, position, want] of rows) {
    it(name, () => expect(Number(fundingEstimate('-0.3', position, { nowMs, settlementMs }))).to.equal(Number(want)));
  }
});
