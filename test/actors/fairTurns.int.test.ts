import { expect } from 'chai';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';

const ask = { requestId: 'r' };
const ACTIONS = 12;
const ORDERS = 1000;

/** An action as heavy as one may be: a thousand orders, each of which is looked at and refused. */
const heavy: AccountCommand = {
  type: 'placeOrders',
  orders: Array.from({ length: ORDERS }, (_, n) => ({
    asset: 0,
    side: 'buy' as const,
    limitPrice: `${50_000 + n}`,
    size: '100',
    reduceOnly: false,
    type: { kind: 'limit' as const, timeInForce: 'gtc' as const },
  })),
  grouping: 'na',
};

describe('actors: a heavy account waits for itself', () => {
  let bench: ActorBench;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '2', MAILBOX_MAX: '100', LEASE_TTL_MS: '3000' });
    await bench.startOnlyPod();
  });
  after(() => bench.stop());

  for (const isSameShard of [true, false]) {
    it(`an account of ${isSameShard ? 'its own' : 'another'} shard is answered between its actions, and no lease is lost`, async () => {
      const shard = (accountId: string): number => shardOf(accountId, bench.config.SHARDS);
      const attacker = accountName(1);
      const quiet = [2, 3, 4, 5, 6, 7, 8, 9].map(accountName).find((id) => (shard(id) === shard(attacker)) === isSameShard);
      if (quiet === undefined) throw new Error('no account in the shard');
      const gateway = await bench.startGateway();
      const tokens = () => bench.pods.flatMap((pod) => pod.status().map(({ token }) => token));
      const before = tokens();
      await Promise.all([attacker, quiet].map((id) => gateway.send(id, commands.open, ask)));
      const answers: string[] = [];
      const sent = Array.from({ length: ACTIONS }, () => gateway.send(attacker, heavy, ask).then(() => answers.push('heavy')));
      const asked = (async () => {
        for (let n = 0; n < 3; n++) {
          await gateway.send(quiet, commands.place(), ask);
          answers.push('quiet');
        }
      })();
      await Promise.all([...sent, asked]);
      expect(answers).to.have.length(ACTIONS + 3);
      expect(answers.lastIndexOf('quiet'), answers.join(' ')).to.be.below(ACTIONS);
      expect(tokens()).to.deep.equal(before);
    });
  }
});
