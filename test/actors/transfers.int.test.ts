// Transfers between accounts of different shards, without an API node that completes them: each transfer arrives once, whichever
// process dies.
import { expect } from 'chai';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const member: AccountCommand = { type: 'query', query: { kind: 'groupMember' } };

describe('transfers: shards deliver what an API node has left under way', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let accounts: readonly [string, string];

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '500', ACCOUNT_IDLE_MS: '300' });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    const names = Array.from({ length: 20 }, (_, i) => accountName(50 + i));
    const ofShard = (shard: number) => names.find((name) => shardOf(name, bench.config.SHARDS) === shard) as string;
    accounts = [ofShard(0), ofShard(1)];
  });
  after(() => bench.stop());

  const ofMember = async (account: string) => {
    const answer = answerOf(await gateway.send(account, member, ask));
    if (answer.kind !== 'groupMember') throw new Error('not a member');
    return { value: answer.overview.state.marginSummary.accountValue, transfers: answer.transfers };
  };
  const send = (usd: string) => gateway.send(accounts[0], { type: 'sendTransfer', to: accounts[1], usd }, ask);
  const arrived = async (usd: string) => {
    await until(async () => {
      const [{ transfers: sent }, { transfers: got }] = await Promise.all([ofMember(accounts[0]), ofMember(accounts[1])]);
      return sent[0]?.underWay.length === 0 && got[0]?.receivedUsd === usd;
    });
  };

  it('to an account that was never opened, which leaves its sender with what it kept', async () => {
    await gateway.send(accounts[0], commands.open, ask);
    expect(await send('250.5')).to.include({ type: 'transferSent' });
    await until(async () => (await gateway.send(accounts[1], member, { ...ask, staysUnopened: true })).type !== 'unknownAccount');
    await arrived('250.5');
    expect((await ofMember(accounts[1])).value).to.equal('250.5');
    expect((await ofMember(accounts[0])).value).to.equal('9749.5');
  });

  it('an API node that repeats what a pod has delivered changes nothing', async () => {
    const sent = await send('1');
    if (sent.type !== 'transferSent') throw new Error('not sent');
    const { number, after } = sent;
    const receive: AccountCommand = { type: 'receiveTransfer', from: accounts[0], number, after, usd: '1' };
    for (let i = 0; i < 3; i++) expect(await gateway.send(accounts[1], receive, ask)).to.deep.equal({ type: 'done' });
    await arrived('251.5');
    for (let i = 0; i < 3; i++) expect(await gateway.send(accounts[1], receive, ask)).to.deep.equal({ type: 'done' });
    expect((await ofMember(accounts[1])).value).to.equal('251.5');
  });

  it('the pod dies after it left; the next owner delivers it', async () => {
    const [pod] = bench.pods;
    expect(await send('2.25')).to.include({ type: 'transferSent' });
    if (pod) await bench.stopPod(pod);
    await bench.startOnlyPod();
    await arrived('253.75');
    expect((await ofMember(accounts[1])).value).to.equal('253.75');
  });

  it('twenty at once, in whatever order they arrive', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send('0.1')));
    const sent = outcomes.filter(({ type }) => type === 'transferSent').length;
    expect(sent).to.equal(16);
    await arrived('255.35');
    const [from, to] = await Promise.all(accounts.map(ofMember));
    expect(Number(from?.value) + Number(to?.value)).to.equal(10_000);
  });
});
