// Long reads of many accounts are the reads of one user: each waits here at its account until the test lets it go on.
import { expect } from 'chai';
import type { Outcome } from '../../../src/actors/core/messages/queryAnswer.ts';
import { subAccountAddress } from '../../../src/shared/access/subAccountAddress.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const SUBS = 50;

describe('long reads of a user with fifty sub-accounts', () => {
  const stores = useStores();
  let node: ApiNode;
  let user: TestUser;
  let neighbour: TestUser;
  let master: string;
  /** Accounts whose read waits. */
  let waiting: { accountId: string; go: () => void }[];

  before(async () => {
    const { gateway: answering } = new ExchangeInMemory().services;
    const gateway = gatewayOf(async (accountId, command, options): Promise<Outcome> => {
      if (command.type !== 'query') return answering.send(accountId, command, options);
      if (command.query.kind === 'subAccounts') {
        const subAccounts = Array.from({ length: SUBS }, (_, n) => ({ number: n + 1, name: `bot ${n}`, createdAtMs: 0 }));
        return { type: 'answer', answer: { kind: 'subAccounts', subAccounts }, seq: 1 };
      }
      if (command.query.kind === 'overview') await new Promise<void>((go) => waiting.push({ accountId, go }));
      return answering.send(accountId, command, options);
    });
    node = await ApiNode.start(stores, { gateway, env: { PLAN_BASIC_WEIGHT_PER_MINUTE: '100000' } });
  });
  beforeEach(async () => {
    waiting = [];
    [user, neighbour] = [await node.register(), await node.register()];
    const { body } = await node.request('GET', '/v1/auth/me', { headers: bearer(user) });
    master = body.address;
  });
  after(() => node.stop());

  const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });
  const read = (whose: TestUser, account?: string): Promise<Answer> => {
    const query = account === undefined ? '' : `?account=${account}`;
    return node.request('GET', `/v1/exchanges/perpx/account/analytics${query}`, { headers: bearer(whose) });
  };

  it('one is read at a time and four wait; the others are refused, and a neighbour has the next turn', async () => {
    const answers: Answer[] = [];
    const reads = Array.from({ length: SUBS }, (_, n) =>
      read(user, subAccountAddress(master, n + 1)).then((answer) => {
        answers.push(answer);
      }),
    );
    await until(() => answers.length === SUBS - 5);
    expect(new Set(answers.map(({ body }) => body.code))).to.deep.equal(new Set(['too_many_reads']));
    expect(waiting).to.have.length(1);
    const other = read(neighbour);
    await until(() => waiting.length === 2);
    waiting[1]?.go();
    expect((await other).status).to.equal(200);
    expect(waiting).to.have.length(2);
    waiting[0]?.go();
    for (let n = 2; n < 6; n++) {
      await until(() => waiting.length === n + 1);
      waiting[n]?.go();
    }
    await Promise.all(reads);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(5);
    const accounts = waiting.map(({ accountId }) => accountId).filter((id) => id !== waiting[1]?.accountId);
    expect(new Set(accounts).size, 'five accounts').to.equal(5);
  });
});
