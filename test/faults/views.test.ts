// Reads are linearizable: a client that knows of a change, by whichever answer of whichever node, never reads an account from before
// it, while owners are killed and Redis forgets its last moments.
import { statSync } from 'node:fs';
import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { cutTo, incrementOf, journalsIn } from '../support/faults/appendOnlyFile.ts';
import { Freshness } from '../support/faults/freshness.ts';
import { Reader, seqOf, Writer } from '../support/faults/readingClients.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { type Stack, startStack, type TestAccount, told } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import { until } from '../support/until.ts';

const SHARDS = 4;
/** Reads of each reader after a change before the next: enough that it is given a view and answers from it. */
const READS_A_ROUND = 6;

describe('what is known of an account is read on every node', function () {
  this.timeout(600_000);
  let stack: Stack;

  before(async () => {
    const env = { SHARDS: String(SHARDS), LEASE_TTL_MS: '1000', COMMAND_DEADLINE_MS: '2500' };
    stack = await startStack({ apis: 3, pods: 2, env });
  });
  after(() => stack.stop());

  scenario('one node writes, two read: orders, transfers, fills, marks; owners die and sleep, Redis forgets', async (seed) => {
    const random = new Random(seed);
    const account = await stack.register();
    const judge = new Freshness();
    const writer = new Writer(stack, account, judge, random);
    const readers = [1, 2].map((node) => new Reader(stack, account, judge, node).start());
    const inOrder = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        await writer.round();
        // Every fourth change comes at once after the one before.
        if (round % 4 !== 3) await Promise.all(readers.map((reader) => reader.reads(READS_A_ROUND)));
      }
      expect(judge.violations).to.deep.equal([]);
    };
    try {
      await writer.begin();
      await inOrder(24);
      for (const node of [1, 2]) {
        expect(await countOf(node, 'hits'), `answers of node ${node} from views`).to.be.greaterThan(0);
        expect(await countOf(node, 'followed_hits'), `of views that have followed the account`).to.be.greaterThan(0);
      }

      const owner = await ownerOf(account);
      await stack.kill(owner);
      await inOrder(8);
      await stack.restart(owner);
      await inOrder(4);

      const sleeper = await ownerOf(account);
      await stack.kill(sleeper, 'SIGSTOP');
      await inOrder(4);
      await stack.kill(sleeper, 'SIGCONT');
      await inOrder(4);

      await forget(account, { judge, random, during: () => inOrder(4) });
      await inOrder(8);
      await agree(account);
    } finally {
      await Promise.all(readers.map((reader) => reader.stop()));
    }
  });

  const countOf = async (node: number, name: string): Promise<number> => {
    const lines = (await stack.metrics(`api-${node}`)).split('\n');
    return Number(lines.find((line) => line.startsWith(`api_account_view_${name}_total `))?.split(' ')[1] ?? 0);
  };

  const ownerOf = async ({ address }: TestAccount): Promise<string> => {
    let owner: string | undefined;
    await until(async () => {
      const lease = await stack.redis.get(shardKeys.lease(shardOf(address, SHARDS)));
      owner = /^\d+:(actors-\d+)-/.exec(lease ?? '')?.[1];
      return owner !== undefined;
    });
    return owner ?? '';
  };

  /** Redis is killed and comes back without the end of its file: somewhere in what is done `during`. */
  async function forget(
    { address }: TestAccount,
    { judge, random, during }: { judge: Freshness; random: Random; during: () => Promise<void> },
  ): Promise<void> {
    const { dir } = stack.redisStore;
    const file = incrementOf(dir);
    const { size } = statSync(file);
    await during();
    judge.suspend();
    await stack.redisStore.kill();
    const bytes = random.whole(size, statSync(file).size - 1);
    const { commits } = await journalsIn(dir, { shards: SHARDS, bytes });
    const left = commits.flatMap((shard) =>
      shard.flatMap(({ entries }) => entries.filter(({ accountId }) => accountId === address)),
    );
    cutTo(file, bytes);
    judge.forget(left.at(-1)?.seq ?? 0);
    await stack.restartRedis();
    await stack.waitHealthy();
  }

  /** A node's answer about an account, at the numbers of two moments. */
  async function shownBy(url: string, { apiKey, address }: TestAccount) {
    const orders = await told(() => stack.info(apiKey, { type: 'openOrders', user: address }, url));
    const stream = await StreamClient.connect(url, { apiKey });
    const type = 'clearinghouseState';
    await until(async () => {
      stream.subscribe({ type, user: address, stateHash: true });
      return (await stream.next(type, 'error')).channel === type;
    });
    const { seq, stateHash } = stream.all(type)[0] as { seq?: number; stateHash?: string };
    stream.socket.close();
    return { answered: seqOf(orders), orders: orders.body, streamed: seq, stateHash };
  }

  /** Every node comes to show the same state under the same number, in answers and in streams. */
  async function agree(account: TestAccount): Promise<void> {
    let shown: Awaited<ReturnType<typeof shownBy>>[] = [];
    // An entry may come between an answer and a stream.
    await until(async () => {
      shown = await Promise.all(stack.baseUrls.map((url) => shownBy(url, account)));
      return shown.every(({ answered, streamed }) => answered === shown[0]?.answered && streamed === answered);
    });
    const [first] = shown;
    for (const one of shown) expect(one).to.deep.equal(first);
    expect(first?.stateHash).to.match(/^h2:/);
  }
});
