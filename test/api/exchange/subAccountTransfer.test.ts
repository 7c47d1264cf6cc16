import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { failure, outcomeUnknown, refusal } from '../../../src/api/accounts/commandErrors.ts';
import { runAction } from '../../../src/api/exchange/runAction.ts';
import { subAccountAddress } from '../../../src/shared/access/subAccountAddress.ts';
import type { RequestError } from '../../../src/shared/errors.ts';
import { submitted } from '../../../src/shared/redis/submitScript.ts';
import { ADDRESS, ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';

const SUB = subAccountAddress(ADDRESS, 1);

describe('subAccountTransfer: what is told of a transfer that has left', () => {
  let exchange: ExchangeInMemory;
  /** Commands to accounts that were sent, with the account. */
  let sent: [string, AccountCommand['type']][];
  let failing: { readonly type: AccountCommand['type']; readonly error: RequestError } | undefined;

  beforeEach(async () => {
    exchange = new ExchangeInMemory();
    await exchange.exchange({ type: 'createSubAccount', name: 'grid' });
    sent = [];
    failing = undefined;
  });

  const transfer = (fields: object = {}) => {
    const { services } = exchange;
    const gateway = gatewayOf(async (accountId, command, options) => {
      if (command.type !== 'query') sent.push([accountId, command.type]);
      if (command.type === failing?.type) throw failing.error;
      if (command.type === 'sendTransfer') return { type: 'transferSent', number: 7, after: 3 };
      if (command.type === 'receiveTransfer' || command.type === 'settleTransfer') return { type: 'done' };
      return services.gateway.send(accountId, command, options);
    });
    const action = { type: 'subAccountTransfer', subAccountUser: SUB, isDeposit: true, usd: 5_000_000, ...fields };
    return runAction({ action, nonce: 1 }, exchange.call, { ...services, gateway });
  };

  it('three commands: the sender’s, the receiver’s, the sender’s again', async () => {
    expect(await transfer()).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    expect(await transfer({ isDeposit: false })).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    const wayOf = (from: string, to: string) => [
      [from, 'sendTransfer'],
      [to, 'receiveTransfer'],
      [from, 'settleTransfer'],
    ];
    expect(sent).to.deep.equal([...wayOf(ADDRESS, SUB), ...wayOf(SUB, ADDRESS)]);
  });

  const errors: readonly [name: string, error: RequestError][] = [
    ['has not begun in time', failure('expired', 5000)],
    ['is full', refusal(submitted.mailboxFull)],
    ['is halted', failure('quarantined', 5000)],
    ['has not answered', outcomeUnknown(1_795_000_000_000)],
  ];
  for (const type of ['receiveTransfer', 'settleTransfer'] as const) {
    for (const [name, error] of errors) {
      it(`${type}: an account that ${name} is a 504, never "nothing was done"`, async () => {
        failing = { type, error };
        const told = await transfer().then(
          () => expect.fail('it must not be told as done'),
          (thrown: RequestError) => thrown,
        );
        expect([told.status, told.code]).to.deep.equal([504, 'outcome_unknown']);
        expect(told.message).to.match(/^The transfer 7 has left its account and is under way: it arrives by itself, once\./);
        expect(told.message).to.not.include('nothing was done');
      });
    }
  }

  it('sendTransfer: what fails there has moved nothing, and is told so', async () => {
    failing = { type: 'sendTransfer', error: failure('expired', 5000) };
    const told = await transfer().catch((thrown: RequestError) => thrown);
    expect(told).to.include({ status: 503, code: 'expired' });
    expect(sent).to.deep.equal([[ADDRESS, 'sendTransfer']]);
  });
});
