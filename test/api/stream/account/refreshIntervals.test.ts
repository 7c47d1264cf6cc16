import { expect } from 'chai';
import { RefreshIntervals } from '../../../../src/api/stream/account/refreshIntervals.ts';

describe('Repeats: how soon a state is shown again', () => {
  const views = Array.from({ length: 2000 }, () => ({}));
  const slowest = (repeats: RefreshIntervals, count: number): number =>
    Math.max(...views.slice(0, count).map((view) => repeats.nextMs(view, { isMoving: true })));

  const cases = [
    { moving: 1, afterMs: 1000 },
    { moving: 200, afterMs: 1000 },
    { moving: 300, afterMs: 1500 },
    { moving: 1000, afterMs: 5000 },
    { moving: 2000, afterMs: 5000 },
  ];
  for (const { moving, afterMs } of cases) {
    it(`with ${moving} that prices move: ${afterMs} ms`, () => expect(slowest(new RefreshIntervals(), moving)).to.equal(afterMs));
  }

  it('one that prices do not move comes at the slow pace and slows no other', () => {
    const repeats = new RefreshIntervals();
    expect(views.map((view) => repeats.nextMs(view, { isMoving: false }))).to.deep.equal(views.map(() => 5000));
    expect(repeats.nextMs(views[0] as object, { isMoving: true })).to.equal(1000);
  });

  it('counts a view once, and no more when it is forgotten or stands still', () => {
    const repeats = new RefreshIntervals();
    slowest(repeats, 400);
    expect(slowest(repeats, 400)).to.equal(2000);
    for (const view of views.slice(0, 100)) repeats.forget(view);
    for (const view of views.slice(100, 200)) repeats.nextMs(view, { isMoving: false });
    expect(repeats.nextMs(views[300] as object, { isMoving: true })).to.equal(1000);
  });
});
