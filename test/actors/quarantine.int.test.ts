// One halted account keeps nothing from its shard: the journal is cut, the account's entries lie beside it, and it comes
// back with all that was acknowledged, by whichever owner.
import { expect } from 'chai';
import { readEntry } from '../../src/actors/core/messages/entry.ts';
import { readQuarantineRecord } from '../../src/actors/core/messages/quarantineRecord.ts';
import { readSetAsideIndex } from '../../src/actors/engine/journal/setAside.ts';
import { readSnapshots } from '../../src/actors/engine/journal/snapshots.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const FILLS = 5;
const SHARD = 0;
/** No account can fold the move of an order that is not there. */
const UNFOLDABLE = 17;

describe('a halted account and its shard', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let proxy: TcpProxy;
  let pod: Actors;

  before(async () => {
    bench = await ActorBench.start({
      ...{ SHARDS: '1', HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '1000' },
    });
    gateway = await bench.startGateway();
    await startPod();
  });
  after(() => bench.stop());

  async function startPod(): Promise<void> {
    proxy = await TcpProxy.start(bench.redisStore.port);
    pod = await bench.startPod({
      url: `redis://127.0.0.1:${proxy.port}`,
      rules: {
        decide: (account, command, context) => {
          const decision = tradingRules.decide(account, command, context);
          if (command.type !== 'updateLeverage' || command.leverage !== UNFOLDABLE) return decision;
          return { ...decision, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] };
        },
      },
    });
    await until(() => bench.hasAllShards(pod));
  }
  /** Its connection is gone from one moment to the next, as after kill -9. */
  const killAndRestart = async (): Promise<void> => {
    await proxy.close();
    await startPod();
  };
  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
      return 'done';
    } catch (error) {
      if (error instanceof RequestError) return error.code;
      throw error;
    }
  };
  const fold = { type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: UNFOLDABLE } as const;
  /** Fills that no snapshot has yet, and the fault right after them. */
  const fillAndHalt = async (account: string): Promise<void> => {
    await gateway.send(account, commands.open, ask);
    const sent = Array.from({ length: FILLS }, () => gateway.send(account, commands.place(), ask));
    const last = codeOf(gateway.send(account, fold, ask));
    for (const outcome of await Promise.all(sent)) expect(outcome).to.have.nested.property('orders[0].type', 'filled');
    expect(await last).to.equal('account_quarantined');
  };
  const fills = async (account: string): Promise<unknown> => answerOf(await gateway.send(account, commands.fills, ask));
  /** Other accounts trade until the journal has been cut beyond all that it has now. */
  const journalIsCut = async (): Promise<void> => {
    const [[newest = '0-0'] = []] = await bench.redis.xrevrange(shardKeys.journal(SHARD), '+', '-', 'COUNT', 1);
    const other = accountName(90);
    await codeOf(gateway.send(other, commands.open, ask));
    await until(async () => {
      await gateway.send(other, commands.place(), ask);
      const [[oldest] = []] = await bench.redis.xrange(shardKeys.journal(SHARD), '-', '+', 'COUNT', 1);
      return oldest !== undefined && Number.parseInt(oldest, 10) > Number.parseInt(newest, 10);
    });
  };
  /** An owner takes a wish out before it begins. An owner that loses the shard then has done nothing: the operator asks again. */
  const wish = (account: string, what: 'lift' | 'drop', isDone: () => boolean | Promise<boolean>): Promise<void> =>
    until(async () => {
      if (await isDone()) return true;
      await bench.redis.hset(shardKeys.wishes(SHARD), account, what);
      return false;
    });
  const isAlive = async (account: string): Promise<boolean> =>
    (await codeOf(gateway.send(account, commands.state, ask))) === 'done';
  const setAside = async (account: string) => (await readSetAsideIndex(bench.redis, SHARD)).get(account);
  /** The entries that make its state beside its snapshot: every entry after the snapshot, to the last. */
  const expectWhole = async (account: string): Promise<void> => {
    expect(await setAside(account)).to.include({ lastSeq: FILLS + 1 });
    const list = await bench.redis.lrange(shardKeys.entriesSetAside(SHARD, account), 0, -1);
    const seqs = list.map((line) => readEntry(line.slice(line.indexOf(' ') + 1)).seq);
    const { seq = 0 } = (await readSnapshots(bench.mongo, [account])).get(account) ?? {};
    const missing = Array.from({ length: FILLS + 1 - seq }, (_, n) => seq + 1 + n).filter((one) => !seqs.includes(one));
    expect(missing, `not set aside, after a snapshot at ${seq}`).to.deep.equal([]);
  };

  it('does not keep the journal from being cut; what no snapshot has is set aside, by the next owner too', async () => {
    const account = accountName(1);
    await fillAndHalt(account);
    const text = await bench.redis.hget(shardKeys.quarantine(SHARD), account);
    expect(readQuarantineRecord(text ?? '')).to.include({ seq: FILLS + 1 });
    await journalIsCut();
    await expectWhole(account);

    const second = accountName(2);
    await fillAndHalt(second);
    await killAndRestart();
    await journalIsCut();
    await expectWhole(second);
    expect(await isAlive(account)).to.equal(false);
  });

  it('a lifted one is back with all that was acknowledged, and what was set aside goes when MongoDB has it', async () => {
    for (const account of [accountName(1), accountName(2)]) {
      await wish(account, 'lift', () => isAlive(account));
      expect(await fills(account)).to.include({ total: FILLS });
      expect(await gateway.send(account, commands.place(), ask)).to.have.nested.property('orders[0].type', 'filled');
      expect(await bench.redis.hexists(shardKeys.quarantine(SHARD), account)).to.equal(0);
      await until(async () => (await setAside(account)) === undefined);
      expect(await bench.redis.exists(shardKeys.entriesSetAside(SHARD, account))).to.equal(0);
      expect((await readSnapshots(bench.mongo, [account])).get(account)?.seq).to.be.at.least(FILLS + 1);
    }
    await journalIsCut();
    await killAndRestart();
    for (const account of [accountName(1), accountName(2)]) {
      expect(await fills(account)).to.include({ total: FILLS + 1 });
      expect(answerOf(await gateway.send(account, commands.state, ask)))
        .to.have.nested.property('state.positions')
        .with.length(1);
    }
  });

  it('one that is lifted before its entries were set aside, or whose owner dies right after, loses nothing either', async () => {
    const [early, orphaned] = [accountName(3), accountName(4)];
    await fillAndHalt(early);
    await wish(early, 'lift', () => isAlive(early));
    expect(await fills(early)).to.include({ total: FILLS });

    await fillAndHalt(orphaned);
    await journalIsCut();
    await wish(orphaned, 'lift', () => isAlive(orphaned));
    await killAndRestart();
    expect(await fills(orphaned)).to.include({ total: FILLS });
    await until(async () => (await setAside(orphaned)) === undefined);
  });

  it('what cannot be read of one account beside the journal halts that account alone, and its shard is loaded', async () => {
    const [account, neighbour] = [accountName(21), accountName(22)];
    await fillAndHalt(account);
    await codeOf(gateway.send(neighbour, commands.open, ask));
    await journalIsCut();
    const list = shardKeys.entriesSetAside(SHARD, account);
    // The newest: a snapshot may have those before it.
    const [commit] = ((await bench.redis.lindex(list, -1)) ?? '').split(' ');
    await bench.redis.lset(list, -1, `${commit} {"accountId":"unreadable"}`);
    await killAndRestart();
    await until(() => isAlive(neighbour));
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    await bench.redis.hset(shardKeys.wishes(SHARD), account, 'drop');
    await until(async () => (await bench.redis.hexists(shardKeys.wishes(SHARD), account)) === 0);
    expect(await codeOf(gateway.send(account, commands.state, ask))).to.equal('account_quarantined');
    expect(await isAlive(neighbour)).to.equal(true);
  });

  it('a lift that fails leaves it halted and says why; a drop goes on from its last good state', async () => {
    const account = accountName(5);
    await fillAndHalt(account);
    await journalIsCut();
    const list = shardKeys.entriesSetAside(SHARD, account);
    // The newest but one: a snapshot may have those before it.
    const lost = (await bench.redis.lindex(list, -2)) ?? '';
    const damagedSeq = readEntry(lost.slice(lost.indexOf(' ') + 1)).seq;
    await bench.redis.lset(list, -2, lost.replace(/"size":"[^"]*"/, '"size":"no number"'));
    const reason = () => pod.status()[0]?.haltedFor?.[account] ?? '';
    await wish(account, 'lift', () => reason().startsWith('cannot be loaded'));
    expect(await isAlive(account)).to.equal(false);

    await wish(account, 'drop', () => isAlive(account));
    // One entry opened the account; of the fills those before the damage stay.
    const kept = damagedSeq - 2;
    const sizeOf = async () => {
      const answer = answerOf(await gateway.send(account, commands.state, ask));
      return answer.kind === 'accountState' ? answer.state.positions[0]?.signedSize : undefined;
    };
    expect(await sizeOf()).to.equal(String(0.001 * kept));
    expect(await fills(account), 'what was answered stays in the history').to.include({ total: FILLS });
    await gateway.send(account, commands.place(), ask);
    await until(async () => (await setAside(account)) === undefined);
    await killAndRestart();
    expect(await sizeOf()).to.equal(String(0.001 * (kept + 1)));
    expect(await fills(account)).to.include({ total: FILLS + 1 });
  });
});
