import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { PodTurns } from '../../../../src/actors/engine/turns/workSchedule.ts';

/** An event loop that goes round when a test says so, with a clock that work moves. */
class Loop {
  nowMs = 0;
  readonly did: string[] = [];
  readonly turns = new PodTurns(
    () => this.nowMs,
    (run) => this.#deferred.push(run),
  );
  #deferred: (() => void)[] = [];

  /** A shard that needs so many pieces of work of this length. */
  busy(shard: string, pieces: number, ms: number): void {
    this.turns.plan(() => {
      this.nowMs += ms;
      this.did.push(shard);
      if (pieces > 1) this.busy(shard, pieces - 1, ms);
    });
  }

  /** @returns how long the loop was held, ms */
  round(): number {
    const startedMs = this.nowMs;
    for (const run of this.#deferred.splice(0)) run();
    return this.nowMs - startedMs;
  }
}

describe('podTurns: the shards of a pod share its thread', () => {
  it('the loop goes round after a slice, also while every shard has work: leases are renewed meanwhile', () => {
    const loop = new Loop();
    for (let shard = 0; shard < 16; shard++) loop.busy(`${shard}`, 100, 2);
    for (let n = 0; n < 50; n++) expect(loop.round()).to.be.at.most(7);
    expect(new Set(loop.did).size).to.equal(16);
  });

  it('a shard with long pieces delays another by one of them', () => {
    const loop = new Loop();
    loop.busy('heavy', 100, 60);
    loop.round();
    loop.busy('quiet', 1, 1);
    loop.round();
    loop.round();
    expect(loop.did.slice(0, 3)).to.deep.equal(['heavy', 'heavy', 'quiet']);
  });

  it('short pieces of many shards are done in one slice', () => {
    const loop = new Loop();
    for (let shard = 0; shard < 16; shard++) loop.busy(`${shard}`, 1, 0.1);
    loop.round();
    expect(loop.did).to.have.length(16);
  });

  it('background work of many shards: one piece in a round of the loop, in the order in which it was asked for', async () => {
    const loop = new Loop();
    const work = async (name: string): Promise<void> => {
      for (let piece = 1; piece <= 2; piece++) {
        await loop.turns.background();
        loop.did.push(`${name}${piece}`);
      }
    };
    const works = ['a', 'b', 'c'].map(work);
    for (let rounds = 0; rounds <= 6; rounds++) {
      expect(loop.did).to.have.length(rounds);
      await setImmediate(); // what was promised is told
      loop.round();
      await setImmediate();
    }
    await Promise.all(works);
    expect(loop.did).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('work that throws does not keep the others from their turns', () => {
    const loop = new Loop();
    loop.turns.plan(() => {
      throw new Error('broken');
    });
    loop.busy('other', 1, 1);
    expect(() => loop.round()).to.throw('broken');
    loop.round();
    expect(loop.did).to.deep.equal(['other']);
  });
});
