import { expect } from 'chai';
import { type BodyBytes, HeldBytes } from '../../../../src/api/access/limits/heldBytes.ts';
import { RequestError } from '../../../../src/shared/errors.ts';

const KB = 1024;

describe('heldBytes: the memory of requests is bounded for each caller and for all', () => {
  const holding = (): HeldBytes => new HeldBytes({ REQUEST_BYTES_PER_CALLER: 64 * KB, REQUEST_BYTES: 512 * KB });
  const user = (held: HeldBytes, name: string): BodyBytes => held.open({ subject: `user:${name}`, isKnown: true });
  const codeOf = (act: () => void): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof RequestError) return `${error.status} ${error.code}`;
      throw error;
    }
    return 'held';
  };

  it('what is closed takes nothing more, and gives back what it had once', () => {
    const held = holding();
    const body = user(held, 'a');
    body.add(10 * KB);
    body.close();
    expect(codeOf(() => body.add(16 * KB))).to.equal('400 invalid_json');
    body.close();
    expect(held.total).to.equal(0);
  });

  it('one caller may hold its own bound, and is told that it is its own', () => {
    const body = user(holding(), 'a');
    body.add(64 * KB);
    expect(codeOf(() => body.add(1))).to.equal('429 too_many_bytes');
  });

  it('from half of all on those go on who hold little, so that a few callers refuse no other', () => {
    const held = holding();
    for (const name of ['a', 'b']) user(held, name).add(64 * KB);
    expect(codeOf(() => user(held, 'c').add(4 * KB))).to.equal('held');
    expect(codeOf(() => user(held, 'c').add(1))).to.equal('503 busy');
    expect(codeOf(() => user(held, 'd').add(4 * KB))).to.equal('held');
    expect(held.total).to.equal(136 * KB);
  });

  it('any number of callers that hold all they may leaves room for those that hold less', () => {
    const held = holding();
    /** New callers come until one is refused. */
    const fill = (bytes: number): void => {
      for (let n = 0; codeOf(() => user(held, `${bytes} ${n}`).add(bytes)) === 'held'; n++);
    };
    for (const [bytes, total] of [
      [64 * KB, 128],
      [4 * KB, 192],
      [256, 224],
      [16, 240],
    ] as const) {
      fill(bytes);
      expect(held.total / KB).to.be.closeTo(total, 1);
      expect(codeOf(() => user(held, `quiet ${bytes}`).add(bytes / 16))).to.equal('held');
    }
  });

  it('all together hold no more than their half, and strangers nothing of that of users', () => {
    const held = new HeldBytes({ REQUEST_BYTES_PER_CALLER: 8 * KB, REQUEST_BYTES: 16 * KB });
    for (let n = 0; n < 8 * KB; n++) expect(codeOf(() => user(held, String(n)).add(1))).to.equal('held');
    expect(codeOf(() => user(held, 'one more').add(1))).to.equal('503 busy');
    const stranger = held.open({ subject: 'address:192.0.2.1', isKnown: false });
    expect(codeOf(() => stranger.add(4 * KB))).to.equal('held');
  });
});
