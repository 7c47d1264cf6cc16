import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import type { Outcome } from '../../../src/actors/core/messages/queryAnswer.ts';
import { AccountCommands } from '../../../src/api/accounts/accountCommands.ts';

describe('accountCommands: an account that a crash left unopened is opened by its next command', () => {
  const query: AccountCommand = { type: 'query', query: { kind: 'openOrders' } };
  const answer: Outcome = { type: 'answer', answer: { kind: 'openOrders', orders: [] }, seq: 1 };

  function gatewayOver(isOpenAtFirst: boolean): { sent: string[]; commands: AccountCommands } {
    let isOpen = isOpenAtFirst;
    const sent: string[] = [];
    const commands = new AccountCommands({
      send: async (_accountId, command) => {
        sent.push(command.type);
        if (command.type === 'openAccount') isOpen = true;
        if (!isOpen) return { type: 'unknownAccount' };
        return command.type === 'openAccount' ? { type: 'accountOpened' } : answer;
      },
    });
    return { sent, commands };
  }

  it('passes a command of an open account on, once', async () => {
    const { sent, commands } = gatewayOver(true);
    expect(await commands.send('0xa', query, { requestId: 'r' })).to.equal(answer);
    expect(sent).to.deep.equal(['query']);
  });

  it('opens an unknown account and repeats the command', async () => {
    const { sent, commands } = gatewayOver(false);
    expect(await commands.send('0xa', query, { requestId: 'r' })).to.equal(answer);
    expect(sent).to.deep.equal(['query', 'openAccount', 'query']);
  });
});
