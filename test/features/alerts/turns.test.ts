import { expect } from 'chai';
import { TurnPlaces } from '../../../src/features/alerts/deliver/turns.ts';
import { until } from '../../support/until.ts';

/** Turns that last until the test ends them. */
class Turns {
  readonly running = new Map<string, { readonly end: () => void; readonly fail: (error: Error) => void }>();
  readonly turn = (name: string) => (): Promise<void> =>
    new Promise<void>((resolve, reject) => this.running.set(name, { end: resolve, fail: reject })).finally(() =>
      this.running.delete(name),
    );
  get names(): string[] {
    return [...this.running.keys()];
  }
}
const NEVER_MS = 3_600_000;

describe('places of turns: those that last go on beside the others, so many of them', () => {
  it('a turn waits for a place, in the order of the calls, and gets that of one that ends or fails', async () => {
    const turns = new Turns();
    const places = new TurnPlaces({ places: 2, aside: 5, placeMs: NEVER_MS });
    const all = ['a', 'b', 'c', 'd'].map((name) => places.run(turns.turn(name)).catch((error: Error) => error.message));
    expect(turns.names).to.deep.equal(['a', 'b']);
    turns.running.get('b')?.fail(new Error('a receiver is away'));
    expect(await all[1]).to.equal('a receiver is away');
    expect(turns.names).to.deep.equal(['a', 'c']);
    turns.running.get('a')?.end();
    await all[0];
    expect(turns.names).to.deep.equal(['c', 'd']);
    for (const { end } of turns.running.values()) end();
    await Promise.all(all);
    const again = [places.run(turns.turn('e')), places.run(turns.turn('f')), places.run(turns.turn('g'))];
    expect(turns.names, 'both places are free again').to.deep.equal(['e', 'f']);
    await until(() => {
      for (const { end } of turns.running.values()) end();
      return turns.names.length === 0;
    });
    await Promise.all(again);
  });

  it('a turn that lasts gives its place away, once, and no more of them than the bound', async () => {
    const turns = new Turns();
    const places = new TurnPlaces({ places: 1, aside: 2, placeMs: 1 });
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => places.run(turns.turn(name)));
    await until(() => turns.running.has('c'));
    expect(turns.names).to.deep.equal(['a', 'b', 'c']);
    // Its end frees no place, because the place was given away, but lets the turn that has lasted since go aside.
    turns.running.get('a')?.end();
    await until(() => turns.running.has('d'));
    expect(turns.names).to.deep.equal(['b', 'c', 'd']);
    turns.running.get('d')?.end();
    await until(() => turns.running.has('e'));
    expect(turns.names).to.deep.equal(['b', 'c', 'e']);
    for (const { end } of turns.running.values()) end();
    await Promise.all(all);
  });
});
