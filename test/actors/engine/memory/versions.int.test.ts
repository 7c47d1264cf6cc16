import { expect } from 'chai';
import { readSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { VIEW_LIFE_MS, type ViewSource } from '../../../../src/actors/core/messages/accountFigures.ts';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import type { Outcome } from '../../../../src/actors/core/messages/queryAnswer.ts';
import type { Rules } from '../../../../src/actors/core/rules.ts';
import { commitCall, commitScript } from '../../../../src/actors/engine/commit/commitScript.ts';
import { FOLLOWED_ENTRIES_MAX, FOLLOWERS_MAX } from '../../../../src/actors/engine/memory/versions.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { stateHashOf } from '../../../../src/shared/stateHash.ts';
import { DecisionsBench, NOW_MS, TOKEN } from '../../../support/decisionsBench.ts';
import { type Store, startRedis } from '../../../support/stores.ts';

const open: AccountCommand = { type: 'openAccount', depositUsd: '10000' };
const change = (usd: number): AccountCommand => ({ type: 'setBalance', balanceUsd: String(usd) });
const look: AccountCommand = { type: 'query', query: { kind: 'accountView' }, stateHash: true };
const summary: AccountCommand = { type: 'query', query: { kind: 'summary' } };
/** The rules make an event of it that no account can fold. */
const fault: AccountCommand = { type: 'scheduleCancel', dueMs: NOW_MS + 60_000 };
const inOneMinute: AccountCommand = { type: 'scheduleCancel', dueMs: NOW_MS + 60_001 };

interface Given {
  readonly seq: number;
  readonly stateHash: string;
  readonly view: ViewSource | undefined;
}

describe('the version of an account stands in Redis while the account is what was given away, and no longer', () => {
  let store: Store;
  let redis: Redis;
  let bench: DecisionsBench;
  /** Events of a job's command. */
  let samples: number;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log: createLogger({ level: 'silent', role: 'test' }) });
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  beforeEach(async () => {
    await redis.flushall();
    await redis.set(shardKeys.lease(0), TOKEN);
    const decide: Rules['decide'] = (account, command, context) =>
      command.type === 'scheduleCancel' && command.dueMs === NOW_MS + 60_000
        ? { ...tradingRules.decide(account, command, context), events: [{ type: 'nonsense' } as unknown as AccountEvent] }
        : tradingRules.decide(account, command, context);
    samples = 1;
    bench = new DecisionsBench({
      decide,
      decideShardCommand: () => ({ events: Array.from({ length: samples }, () => ({ type: 'equitySampled' })) }),
    });
    for (const id of ['a', 'b']) bench.run(id, open);
    await commit();
  });

  const commit = async (): Promise<void> => {
    expect(await bench.commit(redis)).to.have.property('0', 'applied');
  };
  const versions = (): Promise<Record<string, string>> => redis.hgetall(shardKeys.versions(0));
  const give = (accountId: string): Given => {
    const { outcome } = bench.run(accountId, look) as { outcome: Outcome };
    if (outcome.type !== 'answer' || outcome.answer.kind !== 'accountView') throw new Error(JSON.stringify(outcome));
    return { seq: outcome.seq, stateHash: outcome.stateHash ?? '', view: outcome.answer.view };
  };
  const seq = (accountId: string): string => String(bench.seqOf(accountId));

  it('what is given away is the account as it is, with what it waits for; no other account has a version', async () => {
    bench.run('a', inOneMinute);
    const { seq: ofAnswer, stateHash, view } = give('a');
    bench.run('b', summary);
    await commit();
    expect(view).to.include({ token: TOKEN, nextDueMs: NOW_MS + 60_001 });
    expect(stateHashOf(readSnapshot(view?.state ?? {}))).to.equal(stateHash);
    expect(ofAnswer).to.equal(bench.seqOf('a'));
    expect(await versions()).to.deep.equal({ a: seq('a') });
    expect(give('b').view).to.include({ nextDueMs: null });
  });

  it('commits of accounts that were never given away have nothing of versions in them', () => {
    bench.run('a', change(9000));
    expect(bench.sealedCommit.keys).not.to.include(shardKeys.versions(0));
    give('a');
    expect(bench.sealedCommit.keys).to.include(shardKeys.versions(0));
  });

  const cases: { name: string; drafts: (() => unknown)[][]; stands: boolean }[] = [
    { name: 'a change, then the question', drafts: [[() => bench.run('a', change(1)), () => give('a')]], stands: true },
    { name: 'the question, then a change', drafts: [[() => give('a'), () => bench.run('a', change(1))]], stands: false },
    {
      name: 'a change, the question, another change',
      drafts: [[() => bench.run('a', change(1)), () => give('a'), () => bench.run('a', change(2))]],
      stands: false,
    },
    {
      name: 'the question, a change, the question again',
      drafts: [[() => give('a'), () => bench.run('a', change(1)), () => give('a')]],
      stands: true,
    },
    { name: 'a change in the next draft', drafts: [[() => give('a')], [() => bench.run('a', change(1))]], stands: false },
    {
      name: 'a change and the question in the next draft',
      drafts: [[() => give('a')], [() => bench.run('a', change(1)), () => give('a')]],
      stands: true,
    },
    {
      name: 'a question of another kind, and a change of another account',
      drafts: [[() => give('a')], [() => bench.run('a', summary), () => bench.run('b', change(1))]],
      stands: true,
    },
    { name: 'its quarantine in the same draft', drafts: [[() => give('a'), () => bench.run('a', fault)]], stands: false },
    { name: 'its quarantine in the next draft', drafts: [[() => give('a')], [() => bench.run('a', fault)]], stands: false },
    {
      name: 'what comes of being due',
      drafts: [
        [() => bench.run('a', inOneMinute), () => give('a')],
        [() => (bench.nowMs += 61_000), () => bench.decisions.scheduled.runDue(bench.draft)],
      ],
      stands: false,
    },
    {
      name: 'a job’s command that changes it',
      drafts: [
        [() => give('a')],
        [() => bench.decisions.scheduled.runShardCommand('a', { type: 'scanLiquidation' }, bench.draft)],
      ],
      stands: false,
    },
    {
      name: 'a reset',
      drafts: [[() => give('a')], [() => bench.run('a', { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' })]],
      stands: false,
    },
    { name: 'its closing', drafts: [[() => give('a')], [() => bench.run('a', { type: 'closeAccount' })]], stands: false },
    { name: 'a parked command', drafts: [[() => give('a')], [() => bench.run('a', change(1), { id: '666-0' })]], stands: false },
  ];
  for (const { name, drafts, stands } of cases) {
    it(`${name}: ${stands ? 'it stands' : 'there is none'}`, async () => {
      for (const steps of drafts) {
        for (const step of steps) step();
        await commit();
      }
      expect(await versions()).to.deep.equal(stands ? { a: seq('a') } : {});
    });
  }

  describe('whose node follows it', () => {
    const follow: AccountCommand = { type: 'query', query: { kind: 'accountView', follows: true } };
    const ask = (node = 'node'): unknown => bench.run('a', follow, { node });
    const entryOf = (node: string): string => `${node} a ${seq('a')}`;

    it('each entry is told to it, and the version goes on, with the same commit', async () => {
      ask();
      await commit();
      for (let n = 1; n <= 3; n++) {
        bench.run('a', change(n));
        bench.run('b', change(n));
        expect(bench.told).to.deep.equal([entryOf('node')]);
        await commit();
        expect(await versions()).to.deep.equal({ a: seq('a') });
      }
    });

    it('what happens in the same draft before the question is not told, what happens after it is', async () => {
      bench.run('a', change(1));
      ask();
      expect(bench.told).to.deep.equal([]);
      bench.run('a', change(2));
      expect(bench.told).to.deep.equal([entryOf('node')]);
      await commit();
      expect(await versions()).to.deep.equal({ a: seq('a') });
    });

    it('what comes of being due, of jobs and of a reset is told like any other entry', async () => {
      bench.run('a', inOneMinute);
      ask();
      await commit();
      bench.nowMs += 61_000;
      const steps = [
        () => bench.decisions.scheduled.runDue(bench.draft),
        () => bench.decisions.scheduled.runShardCommand('a', { type: 'scanLiquidation' }, bench.draft),
        () => bench.run('a', { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' }),
      ];
      for (const step of steps) {
        step();
        expect(bench.told).to.deep.equal([entryOf('node')]);
        await commit();
        expect(await versions()).to.deep.equal({ a: seq('a') });
      }
    });

    it('after so many entries without another question nothing more is told, and the version ends', async () => {
      ask();
      ask('other');
      for (let n = 1; n < FOLLOWED_ENTRIES_MAX; n++) bench.run('a', change(n));
      ask('other');
      await commit();
      bench.run('a', change(9000));
      expect(bench.told).to.deep.equal([entryOf('node'), entryOf('other')]);
      await commit();
      bench.run('a', change(9001));
      expect(bench.told).to.deep.equal([entryOf('other')]);
      for (let n = 2; n <= FOLLOWED_ENTRIES_MAX; n++) bench.run('a', change(n));
      await commit();
      bench.run('a', change(9002));
      expect(bench.told).to.deep.equal([]);
      await commit();
      expect(await versions()).to.deep.equal({});
      bench.run('a', change(9003));
      expect(bench.sealedCommit.keys).not.to.include(shardKeys.versions(0));
    });

    it('the nodes that asked last are told, so many', () => {
      const nodes = Array.from({ length: FOLLOWERS_MAX + 2 }, (_, n) => `node${n}`);
      for (const node of [...nodes, 'node2']) ask(node);
      bench.run('a', change(1));
      expect(bench.told.sort()).to.deep.equal(nodes.slice(2).map(entryOf).sort());
    });

    it('a long entry is not told and ends the version, its halt too', async () => {
      const long = () => {
        samples = 1000;
        bench.decisions.scheduled.runShardCommand('a', { type: 'scanLiquidation' }, bench.draft);
      };
      for (const act of [long, () => bench.run('a', fault)]) {
        ask();
        await commit();
        expect(await versions()).to.deep.equal({ a: seq('a') });
        act();
        expect(bench.told).to.deep.equal([]);
        await commit();
        expect(await versions()).to.deep.equal({});
      }
    });

    it('what is told counts for the draft’s bound and for the metrics', () => {
      ask();
      bench.run('a', change(1));
      const { entries, chars } = bench.draft.replies.followerEntries;
      expect(entries).to.equal(1);
      expect(chars).to.be.greaterThan(100);
      expect(bench.sealedCommit.chars).to.be.greaterThan(chars);
    });

    it('one that is not told of entries, or was given the account by an older build, ends it with the next one', async () => {
      give('a');
      bench.run('a', change(1));
      expect(bench.told).to.deep.equal([]);
      await commit();
      expect(await versions()).to.deep.equal({});
    });
  });

  it('a commit that is sent again brings no version back', async () => {
    give('a');
    const { keys, args } = commitCall([bench.sealedCommit]);
    await commit();
    bench.run('a', change(1));
    await commit();
    expect(await commitScript.run(redis, keys, args)).to.have.nested.property('[0][0]', 'already');
    expect(await versions()).to.deep.equal({});
  });

  it('a commit of another owner, or with a gap before it, writes and ends none', async () => {
    give('a');
    await commit();
    bench.run('a', change(1));
    give('b');
    await redis.set(shardKeys.lease(0), '2:other:2');
    expect(await bench.commit(redis)).to.have.property('0', 'fenced');
    await redis.set(shardKeys.lease(0), TOKEN);
    give('b');
    expect(await bench.commit(redis)).to.have.property('0', 'gap');
    expect(await versions()).to.deep.equal({ a: String(Number(seq('a')) - 1) });
  });

  it('an account that was given away stays in memory for the life of a view; its version goes with it', async () => {
    const dropIdle = (idleForMs: number) => {
      const nowAt = performance.now() + idleForMs;
      bench.accounts.dropIdle({ idleMs: 60_000, nowAt }, () => false, bench.draft);
    };
    bench.settle();
    give('a');
    await commit();
    dropIdle(VIEW_LIFE_MS - 1000);
    expect(['a', 'b'].filter((id) => bench.accounts.isHere(id))).to.deep.equal(['a']);
    dropIdle(VIEW_LIFE_MS + 1000);
    expect(bench.accounts.isHere('a')).to.equal(false);
    expect(bench.draft.isEmpty).to.equal(false);
    await commit();
    expect(await versions()).to.deep.equal({});
  });

  it('one whose state is too long is not given away', async () => {
    const resident = bench.accounts.find('a');
    if (resident === undefined) throw new Error('a is in memory');
    const ids = Array.from({ length: 20_000 }, (_, i) => [`incarnation-${i}`, { counter: i, timeMs: NOW_MS }] as const);
    resident.account = { ...resident.account, commandIds: new Map(ids) };
    expect(give('a').view).to.equal(undefined);
    await commit();
    expect(await versions()).to.deep.equal({});
  });

  it('one that an operator has brought back is not given away: the same number may be of another state', async () => {
    const account = bench.accounts.find('a')?.account;
    if (account === undefined) throw new Error('a is in memory');
    bench.run('a', fault);
    bench.accounts.readmit(account, [], bench.draft);
    expect(give('a').view).to.equal(undefined);
    await commit();
    expect(await versions()).to.deep.equal({});
  });
});
