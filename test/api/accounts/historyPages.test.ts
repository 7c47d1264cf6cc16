import { expect } from 'chai';
import { inPieces, PIECE } from '../../../src/api/accounts/historyPages.ts';

describe('in pieces: much work lets others in between', () => {
  it('gives all items in their order, and a turn of the event loop between any two pieces', async () => {
    const items = Array.from({ length: 3 * PIECE + 1 }, (_, i) => i);
    const seen: (number | string)[] = [];
    let isDone = false;
    const others = (): void => {
      if (isDone) return;
      seen.push('another request');
      setImmediate(others);
    };
    setImmediate(others);
    await inPieces(items, (piece) => {
      expect(piece.length).to.be.at.most(PIECE);
      seen.push(...piece);
    });
    isDone = true;
    expect(seen.filter((one) => typeof one === 'number')).to.deep.equal(items);
    for (let piece = 1; piece <= 3; piece++) {
      const [before, after] = [seen.indexOf(piece * PIECE - 1), seen.indexOf(piece * PIECE)];
      expect(seen.slice(before, after), `before piece ${piece}`).to.include('another request');
    }
  });
});
