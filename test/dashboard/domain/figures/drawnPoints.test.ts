import { expect } from 'chai';
import { drawnPoints } from '../../../../src/dashboard/domain/figures/drawnPoints.ts';

const HOUR_MS = 3_600_000;
/** 2026-10-25 01:00 UTC, when clocks in Berlin were set back from 3 to 2. */
const SET_BACK_MS = Date.UTC(2026, 9, 25, 1);
const berlin = (timeMs: number): number => (timeMs < SET_BACK_MS ? 2 : 1) * HOUR_MS;

describe('points as a chart draws them', () => {
  const at = (minutes: number, value: string) => [SET_BACK_MS + minutes * 60_000, value] as const;
  /** Seconds after the moment at which clocks were set back, as UTC has it. */
  const drawn = (...points: readonly (readonly [number, string])[]) =>
    drawnPoints(points, berlin).map(([second, value]) => [second - SET_BACK_MS / 1_000, value]);

  it('are moved by what the zone is ahead', () => {
    expect(drawn(at(-120, '1'), at(120, '2.5'))).to.deep.equal([
      [0, 1],
      [10_800, 2.5],
    ]);
  });

  it('are never earlier than the one before, also in the hour that comes twice', () => {
    const points = [at(-30, '1'), at(-1, '2'), at(10, '3'), at(50, '4'), at(61, '5')];
    expect(drawn(...points)).to.deep.equal([
      [5_400, 1],
      [7_140, 4],
      [7_260, 5],
    ]);
  });

  it('of a second, the last is drawn', () => {
    const points = [[1_000, '1'] as const, [1_400, '2'] as const, [1_999, '3'] as const, [2_000, '4'] as const];
    expect(drawnPoints(points, () => 0)).to.deep.equal([
      [1, 3],
      [2, 4],
    ]);
  });
});
