import { expect } from 'chai';
import type { Outcome } from '../../../src/actors/core/messages/queryAnswer.ts';
import type { Caller } from '../../../src/api/access/keyRecord.ts';
import { KnownAccounts } from '../../../src/api/accounts/knownAccounts.ts';
import type { Call } from '../../../src/api/accounts/services.ts';
import { subAccountAddress } from '../../../src/shared/access/subAccountAddress.ts';
import type { User } from '../../../src/shared/mongo/userStore.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';

const MASTER = `0x${'a1'.repeat(20)}`;
const STRANGER = `0x${'b2'.repeat(20)}`;
const sub = (number: number): string => subAccountAddress(MASTER, number);

describe('knownAccounts: which account an address names', () => {
  /** Accounts with a question. */
  let asked: string[];
  let made: number;
  let user: Pick<User, 'plan'> | null;

  beforeEach(() => {
    asked = [];
    made = 1;
    user = { plan: 'pro' };
  });

  const known = (): KnownAccounts =>
    new KnownAccounts({
      gateway: gatewayOf(async (accountId): Promise<Outcome> => {
        asked.push(accountId);
        const subAccounts = Array.from({ length: made }, (_, n) => ({ number: n + 1, name: `bot ${n}`, createdAtMs: 0 }));
        return { type: 'answer', answer: { kind: 'subAccounts', subAccounts }, seq: 1 };
      }),
      users: { noteSubAccount: async () => user as User | null },
      forks: { begin: async () => true },
    });
  const call = (fields: Partial<Caller> = {}): Call => ({
    caller: { userId: 'user_1', accountId: MASTER, address: MASTER, master: MASTER, plan: 'basic', keyId: 'key_1', ...fields },
    requestId: 'r',
    receivedAtMs: 0,
  });
  const named = async (accounts: KnownAccounts, address: string | null | undefined, of = call()) =>
    (await accounts.named(of, address))?.accountId;

  it('the own one without an address and by its own: nobody is asked', async () => {
    const accounts = known();
    for (const address of [undefined, null, MASTER, MASTER.toUpperCase().replace('0X', '0x')])
      expect(await named(accounts, address)).to.equal(MASTER);
    expect(asked).to.deep.equal([]);
  });

  it('none for another user’s, and for numbers beyond any plan: nobody is asked', async () => {
    const accounts = known();
    for (const address of [STRANGER, subAccountAddress(STRANGER, 1), sub(51)])
      expect(await named(accounts, address)).to.equal(undefined);
    expect(asked).to.deep.equal([]);
  });

  it('a sub-account that exists: the master is asked once', async () => {
    const accounts = known();
    expect(await named(accounts, sub(1).toUpperCase().replace('0X', '0x'))).to.equal(sub(1));
    expect(accounts.named(call(), sub(1)), 'at once').to.not.be.instanceOf(Promise);
    expect(asked).to.deep.equal([MASTER]);
  });

  it('one that does not exist yet is asked for each time, so that it is found when it does', async () => {
    const accounts = known();
    expect([await named(accounts, sub(2)), await named(accounts, sub(2))]).to.deep.equal([undefined, undefined]);
    made = 2;
    expect(await named(accounts, sub(2))).to.equal(sub(2));
    expect(asked).to.have.length(3);
  });

  it('a key that is bound reaches its own, whatever is named', async () => {
    const accounts = known();
    const bound = call({ accountId: sub(1), address: sub(1), isBound: true });
    for (const address of [MASTER, sub(1), sub(2), STRANGER]) expect(await named(accounts, address, bound)).to.equal(sub(1));
    expect(await accounts.list(bound)).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
  });

  it('a question about an address that is none of the user’s shows the own account', async () => {
    const accounts = known();
    const own = call();
    expect(await accounts.shown(own, STRANGER)).to.equal(own);
    expect((await accounts.shown(own, sub(1))).caller).to.include({ accountId: sub(1), address: sub(1), master: MASTER });
    expect((await accounts.shown(own, sub(3))).caller.accountId).to.equal(MASTER);
  });

  it('thousands of users later an address is still known', async () => {
    const accounts = known();
    for (let n = 0; n < 2100; n++) {
      const other = `0x${n.toString(16).padStart(40, '0')}`;
      await named(accounts, STRANGER, call({ accountId: other, address: other, master: other }));
    }
    expect(await named(accounts, sub(1))).to.equal(sub(1));
  });

  it('room for one more: what the plan allows, and 401 when the user is gone', async () => {
    expect(await known().makeRoom(call().caller)).to.equal(50);
    user = null;
    const failure = await known()
      .makeRoom(call().caller)
      .catch((error: unknown) => error);
    expect(failure).to.include({ status: 401, code: 'invalid_api_key' });
  });
});
