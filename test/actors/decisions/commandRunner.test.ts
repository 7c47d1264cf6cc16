import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { actorMetrics } from '../../../src/actors/commit/actorMetrics.ts';
import { CommitDraft } from '../../../src/actors/commit/commitDraft.ts';
import type { WaitingCommand } from '../../../src/actors/commit/mailbox.ts';
import { Decisions } from '../../../src/actors/decisions/decisions.ts';
import { JournalBounds } from '../../../src/actors/decisions/journalBounds.ts';
import { type Rules, tradingRules } from '../../../src/actors/decisions/rules.ts';
import { emptyAccount } from '../../../src/actors/domain/account/account.ts';
import type { AccountCommand } from '../../../src/actors/domain/messages/command.ts';
import type { AccountEvent } from '../../../src/actors/domain/messages/event.ts';
import { AccountsInMemory } from '../../../src/actors/residents/accountsInMemory.ts';
import { LiveMarket } from '../../../src/market/domain/liveMarket.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { ShardIds } from '../../../src/shared/domain/ids.ts';
import { alwaysFormat } from '../../support/formats.ts';

const open: AccountCommand = { type: 'openAccount', depositUsd: '10000' };
const summary: AccountCommand = { type: 'query', query: { kind: 'summary' } };
const NOW_MS = 1_700_000_000_000;
const CONDEMNED = '666-0';

/** One shard's accounts without stores: what a draft would commit is looked at instead of committed. */
class Bench {
  readonly accounts: AccountsInMemory;
  readonly decisions: Decisions;
  draft = new CommitDraft(1, NEWEST_FORMAT);
  #lastCounter = 0;

  constructor(rules: Partial<Rules> = {}) {
    const parts = {
      rules: { ...tradingRules, ...rules },
      market: new LiveMarket({ maxAgeMs: 1000 }),
      now: () => NOW_MS,
      realNow: () => NOW_MS,
    };
    this.accounts = new AccountsInMemory({
      ...parts,
      ...{ formats: alwaysFormat(NEWEST_FORMAT), live: new Set(), committed: 0, quarantined: new Map(), notLoaded: new Set() },
    });
    this.decisions = new Decisions({
      isAway: () => false,
      ...parts,
      ...{
        accounts: this.accounts,
        shard: 0,
        token: 't',
        condemned: new Set([CONDEMNED]),
        expired: new Set(),
        idempotencyTtlMs: 1000,
      },
      bounds: new JournalBounds({ accountBytesMax: 1e9, shardBytesMax: 1e9, shardBytes: () => 0, onRefused: () => undefined }),
      ids: new ShardIds({ shard: 0, shards: 1, counter: 0 }),
      metrics: actorMetrics(new Registry(), {
        shards: () => 1,
        accounts: () => 0,
        halted: () => 0,
        refused: () => 0,
        tailBytes: () => 0,
        journalBytes: () => 0,
        shardBytes: async () => [],
      }),
      log: pino({ level: 'silent' }),
    });
    for (const id of ['a', 'b']) this.accounts.admit(emptyAccount(id), [], this.draft);
  }

  /** Runs the command and says what its sender is told; undefined = nothing. */
  run(
    accountId: string,
    command: AccountCommand,
    options: { counter?: number; deadlineMs?: number; key?: string; digest?: string; stored?: string; id?: string } = {},
  ): unknown {
    this.#lastCounter += 1;
    const { counter = this.#lastCounter, deadlineMs, key, digest = 'd', stored, id = `${this.#lastCounter}-0` } = options;
    const before = this.#replies().length;
    const waiting: WaitingCommand = {
      ...{ id, text: 'text' },
      envelope: {
        ...{ id: { incarnation: 'i', counter }, replyTo: 'node', requestId: 'r', command },
        ...(deadlineMs !== undefined && { deadlineMs }),
        ...(key !== undefined && { idempotency: { key, bodyDigest: digest } }),
      },
    };
    this.decisions.commands.run(accountId, waiting, this.draft, stored);
    return this.#replies().slice(before)[0];
  }

  seqOf(accountId: string): number | undefined {
    return this.accounts.find(accountId)?.account.seq;
  }

  get sealed(): string {
    return JSON.stringify(this.#seal());
  }

  #replies(): unknown[] {
    const last = String(this.#seal().at(-1));
    if (!last.startsWith('[[')) return [];
    return (JSON.parse(last) as [string, number, unknown][]).map(([, , reply]) => reply);
  }

  #seal() {
    return this.draft.seal({ shard: 0, token: 't', epoch: 1, idCounter: 0, tick: '0-0', timeMs: 0 }).args;
  }
}

describe('commandRunner: a command takes effect once, or its sender is told why not', () => {
  it('a command is consumed, journaled and answered by one draft', () => {
    const bench = new Bench();
    expect(bench.run('a', open)).to.have.nested.property('outcome.type', 'accountOpened');
    expect(bench.draft.hasConsumed('a')).to.equal(true);
    expect([...bench.draft.changed]).to.deep.equal(['a']);
    expect(bench.seqOf('a')).to.equal(1);
  });

  it('one that was sent twice is consumed the second time and told so, and does nothing', () => {
    const bench = new Bench();
    bench.run('a', open, { counter: 7 });
    expect(bench.run('a', open, { counter: 7 })).to.deep.equal({ failure: 'answered', v: NEWEST_FORMAT });
    expect(bench.draft.commands).to.equal(2);
    expect(bench.seqOf('a')).to.equal(1);
  });

  it('one past its deadline does nothing', () => {
    const bench = new Bench();
    expect(bench.run('a', open, { deadlineMs: NOW_MS - 1 })).to.have.property('failure', 'expired');
    expect(bench.seqOf('a')).to.equal(0);
    expect(bench.run('a', open, { deadlineMs: NOW_MS })).to.have.property('outcome');
  });

  it('a commit of questions alone is never too late; one with a command is, for that command', () => {
    const bench = new Bench();
    const muchLaterMs = NOW_MS + 3_600_000;
    const notAfterMs = () => (JSON.parse(bench.sealed) as unknown[])[6];
    bench.run('a', summary, { deadlineMs: NOW_MS + 1, id: '1-0' });
    expect([...bench.draft.lateAt(muchLaterMs)]).to.deep.equal([]);
    expect(notAfterMs()).to.equal(0);
    bench.run('a', open, { deadlineMs: NOW_MS + 2, id: '2-0' });
    expect([...bench.draft.lateAt(muchLaterMs)]).to.deep.equal(['2-0']);
    expect(notAfterMs()).to.be.above(NOW_MS);
  });

  it('an Idempotency-Key is answered as before, by the open draft or by what is stored, and refused with another body', () => {
    const bench = new Bench();
    const first = bench.run('a', open, { key: 'k' });
    expect(bench.run('a', { type: 'closeAccount' }, { key: 'k' })).to.deep.equal(first);
    expect(bench.run('a', open, { key: 'k', digest: 'other' })).to.have.property('failure', 'keyReused');
    const stored = 'd {"type":"accountClosed"}';
    expect(bench.run('a', open, { key: 'k2', stored })).to.have.nested.property('outcome.type', 'accountClosed');
    expect(bench.seqOf('a')).to.equal(1);
  });

  it('one whose rule throws is parked, and so is one that two owners have died with; the account goes on', () => {
    const decide: Rules['decide'] = (account, command, context) => {
      if (command.type === 'closeAccount') throw new Error('broken rule');
      return tradingRules.decide(account, command, context);
    };
    const bench = new Bench({ decide });
    bench.run('a', open);
    expect(bench.run('a', { type: 'closeAccount' }, { counter: 9 })).to.have.property('failure', 'parked');
    expect(bench.sealed).to.include('broken rule');
    expect(bench.run('a', { type: 'closeAccount' }, { counter: 9 }), 'resent').to.deep.equal({
      failure: 'answered',
      v: NEWEST_FORMAT,
    });
    expect(bench.run('a', summary, { id: CONDEMNED })).to.have.property('failure', 'parked');
    expect(bench.run('a', summary)).to.have.property('outcome');
  });

  it('an account whose fold throws is halted, its entry is not journaled, and others go on', () => {
    const decide: Rules['decide'] = (account, command, context) => {
      const decision = tradingRules.decide(account, command, context);
      return account.id === 'a' ? { ...decision, events: [{ type: 'nonsense' } as unknown as AccountEvent] } : decision;
    };
    const bench = new Bench({ decide });
    expect(bench.run('a', open)).to.have.property('failure', 'quarantined');
    expect([...bench.draft.changed]).to.deep.equal([]);
    expect(bench.accounts.quarantined.has('a')).to.equal(true);
    expect(bench.run('a', summary)).to.have.property('failure', 'quarantined');
    expect(bench.run('b', open)).to.have.property('outcome');
  });

  it('one that cannot be read is parked', () => {
    const bench = new Bench();
    bench.decisions.commands.run('a', { id: '1-0', text: 'not JSON', envelope: undefined }, bench.draft);
    expect(bench.sealed).to.include('not JSON').and.include('unreadable');
  });
});

describe('scheduledActions: what is due runs until the draft is full, and a fault halts its account alone', () => {
  it('an account whose rule throws is halted, the next is asked', () => {
    const asked: string[] = [];
    const bench = new Bench({
      nextDueMs: () => 0,
      decideDue: (account) => {
        asked.push(account.id);
        if (account.id === 'a') throw new Error('broken rule');
        return { events: [], plans: new Map() };
      },
    });
    bench.decisions.scheduled.runDue(bench.draft);
    expect(asked).to.deep.equal(['a', 'b']);
    expect([...bench.accounts.quarantined.keys()]).to.deep.equal(['a']);
    expect(bench.sealed).to.include('wake-up: Error: broken rule');
  });
});
