import { expect } from 'chai';
import { WaitingCommands } from '../../../../src/api/accounts/gateway/waitingCommands.ts';

describe('waitingCommands: what waits at an API node is counted in characters', () => {
  const megabyte = 'x'.repeat(1_000_000);
  const of = (counter: number, accountId: string, envelope = megabyte) => ({ counter, accountId, envelope });

  it('an account, and the node, have room again when a command is answered, once', () => {
    const waiting = new WaitingCommands<ReturnType<typeof of>>();
    waiting.add(of(1, 'a'));
    waiting.add(of(2, 'a', 'xyz'));
    waiting.add(of(3, 'b'));
    expect([waiting.charsOf('a'), waiting.charsOf('b'), waiting.chars]).to.deep.equal([1_000_003, 1_000_000, 2_000_003]);
    expect([waiting.delete(1), waiting.delete(1)]).to.deep.equal([true, false]);
    expect([waiting.charsOf('a'), waiting.chars, waiting.size]).to.deep.equal([3, 1_000_003, 2]);
    expect([...waiting.values()].map(({ counter }) => counter)).to.deep.equal([2, 3]);
  });

  it('200 commands of a megabyte are too many for a node', () => {
    const waiting = new WaitingCommands<ReturnType<typeof of>>();
    let added = 0;
    while (!waiting.isFull && added < 200) waiting.add(of(added++, String(added)));
    expect(added).to.equal(128);
  });
});
