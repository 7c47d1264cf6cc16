import { expect } from 'chai';
import { WaitingCommands } from '../../../../src/api/accounts/gateway/waitingCommands.ts';

describe('waitingCommands: what waits at an API node is counted in characters', () => {
  const megabyte = 'x'.repeat(1_000_000);
  const of = (counter: number, accountId: string, envelope = megabyte) => ({ counter, accountId, envelope });

  it('an account, and the node, have room again when a command is answered, once', () => {
    const waiting = new WaitingCommands<ReturnType<typeof of>>({ charsOfAccountMax: 8_000_000 });
    waiting.add(of(1, 'a'));
    waiting.add(of(2, 'a', 'xyz'));
    waiting.add(of(3, 'b'));
    expect([waiting.charsOf('a'), waiting.charsOf('b'), waiting.chars]).to.deep.equal([1_000_003, 1_000_000, 2_000_003]);
    expect([waiting.delete(1), waiting.delete(1)]).to.deep.equal([true, false]);
    expect([waiting.charsOf('a'), waiting.chars, waiting.size]).to.deep.equal([3, 1_000_003, 2]);
    expect([...waiting.values()].map(({ counter }) => counter)).to.deep.equal([2, 3]);
  });

  it('an account has its own bound, and the fuller the node is, the less may wait of one account', () => {
    const waiting = new WaitingCommands<ReturnType<typeof of>>({ charsOfAccountMax: 8_000_000 });
    let counter = 0;
    /** Commands come from one account until one is refused. */
    const fill = (accountId: string, envelope = megabyte): string | undefined => {
      while (waiting.refusal(accountId, envelope.length) === undefined) waiting.add(of(counter++, accountId, envelope));
      return waiting.refusal(accountId, envelope.length);
    };
    expect(fill('a')).to.equal('each');
    expect(waiting.charsOf('a')).to.equal(8_000_000);
    for (let n = 0; n < 200; n++) fill(`greedy ${n}`);
    expect(waiting.chars).to.be.equal(64_000_000);
    expect(waiting.refusal('greedy 199', 1_000_000)).to.equal('all');
    expect(waiting.refusal('quiet', 30_000)).to.equal(undefined);
    for (let n = 0; n < 20_000; n++) fill(`small ${n}`, 'x');
    expect(waiting.size).to.be.at.most(20_000);
    expect(waiting.refusal('quiet', 1000)).to.equal('all');
  });
});
