import { Socket } from 'node:net';
import { expect } from 'chai';
import { SlowRefusals } from '../../../../src/api/access/limits/slowRefusals.ts';

describe('slowRefusals: who goes on asking past its limit is answered later and later', () => {
  const NETWORK = '192.0.2.1';
  let nowMs: number;
  let slow: SlowRefusals;
  beforeEach(() => {
    nowMs = 1000;
    slow = new SlowRefusals(() => nowMs);
  });
  const waits = (many: number): number[] => Array.from({ length: many }, () => slow.waitMs(NETWORK));

  it('a hundred at once, then twenty a second, none later than ten seconds; another address is not touched', () => {
    expect(waits(100)).to.deep.equal(Array.from({ length: 100 }, () => 0));
    expect(waits(3)).to.deep.equal([50, 100, 150]);
    expect(waits(1000).at(-1)).to.equal(10_000);
    expect(slow.waitMs('192.0.2.2')).to.equal(0);
  });

  it('is forgiven with time', () => {
    waits(2000);
    nowMs += 10_000;
    expect(slow.waitMs(NETWORK)).to.equal(50);
    nowMs += 5050;
    expect(waits(101)).to.deep.equal([...Array.from({ length: 100 }, () => 0), 50]);
  });

  it('one refusal waits on a connection; where another one comes, the connection is to be ended', async () => {
    waits(100);
    const socket = new Socket();
    const first = slow.turn(NETWORK, socket);
    expect(await slow.turn(NETWORK, socket)).to.equal(false);
    expect(await first).to.equal(true);
    expect(await slow.turn(NETWORK, socket), 'the first was answered').to.equal(true);
  });
});
