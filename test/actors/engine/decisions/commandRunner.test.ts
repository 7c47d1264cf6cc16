import { expect } from 'chai';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import type { Rules } from '../../../../src/actors/core/rules.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { answerPlace, sealAnswer } from '../../../../src/shared/redis/rememberedAnswers.ts';
import { CONDEMNED, DecisionsBench, NOW_MS } from '../../../support/decisionsBench.ts';

const open: AccountCommand = { type: 'openAccount', depositUsd: '10000' };
const summary: AccountCommand = { type: 'query', query: { kind: 'summary' } };

describe('commandRunner: a command takes effect once, or its sender is told why not', () => {
  it('a command is consumed, journaled and answered by one draft', () => {
    const bench = new DecisionsBench();
    expect(bench.run('a', open)).to.have.nested.property('outcome.type', 'accountOpened');
    expect(bench.draft.hasConsumed('a')).to.equal(true);
    expect([...bench.draft.changed]).to.deep.equal(['a']);
    expect(bench.seqOf('a')).to.equal(1);
  });

  it('one that was sent twice is consumed the second time and told so, and does nothing', () => {
    const bench = new DecisionsBench();
    bench.run('a', open, { counter: 7 });
    expect(bench.run('a', open, { counter: 7 })).to.deep.equal({ failure: 'answered', v: NEWEST_FORMAT });
    expect(bench.draft.commands).to.equal(2);
    expect(bench.seqOf('a')).to.equal(1);
  });

  it('one past its deadline does nothing', () => {
    const bench = new DecisionsBench();
    expect(bench.run('a', open, { deadlineMs: NOW_MS - 1 })).to.have.property('failure', 'expired');
    expect(bench.seqOf('a')).to.equal(0);
    expect(bench.run('a', open, { deadlineMs: NOW_MS })).to.have.property('outcome');
  });

  it('a commit of questions alone is never too late; one with a command is, for that command', () => {
    const bench = new DecisionsBench();
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
    const bench = new DecisionsBench();
    const first = bench.run('a', open, { key: 'k' });
    expect(bench.run('a', { type: 'closeAccount' }, { key: 'k' })).to.deep.equal(first);
    expect(bench.run('a', open, { key: 'k', digest: 'other' })).to.have.property('failure', 'keyReused');
    const stored = `d ${sealAnswer('{"type":"accountOpened","v":1}', answerPlace('a', 'k2').seal)}`;
    expect(bench.run('a', open, { key: 'k2', stored })).to.have.nested.property('outcome.type', 'accountOpened');
    expect(bench.seqOf('a')).to.equal(1);
  });

  it('a refusal by the address limit is answered and leaves no entry', () => {
    const decide: Rules['decide'] = (account, command, context) =>
      tradingRules.decide(account, command, { ...context, addressLimit: true });
    const bench = new DecisionsBench({ decide });
    const cancels = Array.from({ length: 1000 }, () => ({ asset: 0, target: { oid: 1 } }));
    bench.run('a', open);
    for (let sent = 0; sent < 20; sent++) bench.run('a', { type: 'cancelOrders', cancels });
    expect(bench.run('a', { type: 'scheduleCancel' }), 'the first beyond the limit').to.have.nested.property(
      'outcome.type',
      'done',
    );
    expect(bench.seqOf('a')).to.equal(22);
    const { journalChars } = bench.draft;
    expect(bench.run('a', { type: 'scheduleCancel' })).to.have.nested.property('outcome.type', 'refused');
    expect(bench.seqOf('a')).to.equal(22);
    expect(bench.draft.journalChars).to.equal(journalChars);
    expect(bench.draft.commands).to.equal(23);
  });

  it('one whose rule throws is parked, and so is one that two owners have died with; the account goes on', () => {
    const decide: Rules['decide'] = (account, command, context) => {
      if (command.type === 'closeAccount') throw new Error('broken rule');
      return tradingRules.decide(account, command, context);
    };
    const bench = new DecisionsBench({ decide });
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
    const bench = new DecisionsBench({ decide });
    expect(bench.run('a', open)).to.have.property('failure', 'quarantined');
    expect([...bench.draft.changed]).to.deep.equal([]);
    expect(bench.accounts.quarantined.has('a')).to.equal(true);
    expect(bench.run('a', summary)).to.have.property('failure', 'quarantined');
    expect(bench.run('b', open)).to.have.property('outcome');
  });

  it('one that cannot be read is parked', () => {
    const bench = new DecisionsBench();
    bench.decisions.commands.run('a', { id: '1-0', text: 'not JSON', envelope: undefined }, bench.draft);
    expect(bench.sealed).to.include('not JSON').and.include('unreadable');
  });
});

describe('scheduledActions: what is due runs until the draft is full, and a fault halts its account alone', () => {
  it('an account whose rule throws is halted, the next is asked', () => {
    const asked: string[] = [];
    const bench = new DecisionsBench({
      nextDueMs: () => 0,
      decideDue: (account) => {
        asked.push(account.id);
        if (account.id === 'a') throw new Error('broken rule');
        return { events: [] };
      },
    });
    bench.decisions.scheduled.runDue(bench.draft);
    expect(asked).to.deep.equal(['a', 'b']);
    expect([...bench.accounts.quarantined.keys()]).to.deep.equal(['a']);
    expect(bench.sealed).to.include('wake-up: Error: broken rule');
  });
});
