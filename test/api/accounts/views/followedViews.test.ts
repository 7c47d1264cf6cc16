// A view that follows its account is the account: whatever happens to it, and whatever becomes of the messages on their way.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { type AccountEntry, writeEntry } from '../../../../src/actors/core/messages/entry.ts';
import {
  type FollowedEntry,
  readReplies,
  readReplyMessage,
  writeFollowed,
  writeReply,
} from '../../../../src/actors/core/messages/envelope.ts';
import type { QueryAnswer } from '../../../../src/actors/core/messages/queryAnswer.ts';
import { AccountView } from '../../../../src/api/accounts/views/accountView.ts';
import { FollowedViews, RepeatedQuestions, WAITING_MAX } from '../../../../src/api/accounts/views/followedViews.ts';
import { ViewCache } from '../../../../src/api/accounts/views/viewCache.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../../src/shared/stateHash.ts';
import { goldenLife, LIVES } from '../../../formats/golden.ts';
import { randomLife, toSteps } from '../../../proof/randomSteps.ts';
import { ACCOUNT_ID, deposit, given, place, Scenario, wait } from '../../../support/scenario.ts';

const TOKEN = '4:pod-1:0a1b2c3d4e5f';
const VIEWS_MAX_BYTES = 1e8;

const snapshotOf = (account: Account): string => toSnapshot(account, NEWEST_FORMAT);
const given1 = (account: Account): AccountView =>
  new AccountView({ token: TOKEN, nextDueMs: null, state: JSON.parse(snapshotOf(account)) }, 0, tradingRules);

/** As it comes from its owner. */
function carried(entry: AccountEntry, token = TOKEN): FollowedEntry {
  const sent = writeFollowed('node', { token, nextDueMs: 7, entry: writeEntry(entry, NEWEST_FORMAT) }, NEWEST_FORMAT);
  const [[incarnation, counter, told]] = readReplyMessage(`[${sent}]`) as [ReturnType<typeof readReplyMessage>[number]];
  expect([incarnation, counter]).to.deep.equal(['node', 0]);
  if (!('followed' in told)) throw new Error('not an entry');
  return told.followed;
}

describe('a view that follows its account is what its owner would give away', () => {
  it('after every entry of random lives: state, hash, bytes and answers', () => {
    let folded = 0;
    fc.assert(
      fc.property(randomLife, (life) => {
        const scenario = new Scenario().given(deposit('10000'));
        const view = given1(scenario.account);
        for (const step of life) {
          const before = scenario.entries.length;
          scenario.given(...toSteps(step, scenario));
          for (const entry of scenario.entries.slice(before)) expect(view.follow(carried(entry))).not.to.equal(undefined);
          const fresh = given1(scenario.account);
          expect(snapshotOf(view.account)).to.equal(snapshotOf(scenario.account));
          expect([view.seq, view.bytes, view.stateHash]).to.deep.equal([fresh.seq, fresh.bytes, stateHashOf(scenario.account)]);
          const context = { market: scenario.market, nowMs: scenario.market.nowMs };
          for (const kind of ['accountState', 'openOrders', 'runningTwaps', 'summary', 'overview'] as const) {
            const answer: QueryAnswer = tradingRules.answerQuery(scenario.account, { kind }, context);
            expect(tradingRules.answerQuery(view.account, { kind }, context)).to.deep.equal(answer);
          }
        }
        folded += view.folded;
      }),
      { numRuns: 25 },
    );
    expect(folded).to.be.greaterThan(100);
  });

  for (const life of LIVES) {
    it(`along the life ${life} of the golden files`, () => {
      const { journal, snapshots } = goldenLife(life, NEWEST_FORMAT);
      const states = new Map(snapshots.map(({ seq, text }) => [seq, text]));
      let view: AccountView | undefined;
      for (const text of journal) {
        const entry = JSON.parse(text) as AccountEntry;
        if (view !== undefined) expect(view.follow(carried(entry))).not.to.equal(undefined);
        const state = states.get(entry.seq);
        if (state === undefined) continue;
        if (view !== undefined) expect(snapshotOf(view.account)).to.equal(state);
        view ??= new AccountView({ token: TOKEN, nextDueMs: null, state: JSON.parse(state) }, 0, tradingRules);
      }
    });
  }

  it('is due when the owner says so', () => {
    const scenario = given();
    const view = given1(scenario.account);
    scenario.given(place({ limitPrice: '90' }));
    expect(view.whyNot({ nowMs: 7, atMs: 0 })).to.equal(undefined);
    view.follow(carried(scenario.entries.at(-1) as AccountEntry));
    expect(view.whyNot({ nowMs: 7, atMs: 0 })).to.equal('due');
  });
});

describe('messages on their way to views', () => {
  const scenario = given();
  const first = scenario.account.seq;
  const before = snapshotOf(scenario.account);
  const states = [before];
  for (let n = 0; n < 8; n++) {
    scenario.given(place({ limitPrice: String(90 - n) }), wait(1));
    states.push(snapshotOf(scenario.account));
  }
  const entries = scenario.entries.slice(-8);

  function start() {
    const errors: object[] = [];
    const [cache, repeated] = [new ViewCache(VIEWS_MAX_BYTES), new RepeatedQuestions()];
    const followed = new FollowedViews({ cache, repeated, log: { error: (fields: object) => errors.push(fields) } as never });
    const view = new AccountView({ token: TOKEN, nextDueMs: null, state: JSON.parse(before) }, 0, tradingRules);
    return { cache, followed, view, errors };
  }

  it('lost, twice, late, in another order, of another owner: the view is the account as of its number, always', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(7), fc.boolean()), { maxLength: 30 }), (messages) => {
        const { cache, followed, view } = start();
        cache.put(ACCOUNT_ID, view);
        for (const [n, isOthers] of messages) {
          const entry = entries[n] as AccountEntry;
          // A Redis that has lost its last moments gives numbers again, to another owner.
          followed.onEntry(isOthers ? carried({ ...entry, events: [] }, '5:pod-2:0a1b2c3d4e5f') : carried(entry));
          expect(snapshotOf(view.account)).to.equal(states[view.seq - first]);
        }
        expect(cache.bytes).to.equal(view.bytes);
      }),
    );
  });

  it('in their order the view follows all of them, also those that came before it', () => {
    const { cache, followed, view } = start();
    followed.expect(ACCOUNT_ID);
    for (const entry of entries.slice(0, 3)) followed.onEntry(carried(entry));
    expect(followed.folded).to.equal(0);
    cache.put(ACCOUNT_ID, view);
    followed.arrived(ACCOUNT_ID, view);
    for (const entry of entries.slice(3)) followed.onEntry(carried(entry));
    expect([followed.folded, view.folded, snapshotOf(view.account)]).to.deep.equal([8, 8, states.at(-1)]);
  });

  it('few wait for views, and none after a view has not come', () => {
    const { cache, followed, view } = start();
    const [entry] = entries as [AccountEntry];
    followed.expect('other');
    for (let n = 0; n < WAITING_MAX; n++) followed.onEntry(carried({ ...entry, accountId: 'other' }));
    followed.expect(ACCOUNT_ID);
    followed.onEntry(carried(entry));
    cache.put(ACCOUNT_ID, view);
    followed.arrived(ACCOUNT_ID, view);
    expect(view.folded).to.equal(0);
    followed.arrived('other', undefined);
    followed.expect(ACCOUNT_ID);
    followed.onEntry(carried(entry));
    expect(view.folded).to.equal(1);
    followed.arrived(ACCOUNT_ID, view);
    expect([view.folded, followed.isAwaited(ACCOUNT_ID)]).to.deep.equal([1, false]);
  });

  it('one that cannot be folded costs the view, and says so', () => {
    const { cache, followed, view, errors } = start();
    cache.put(ACCOUNT_ID, view);
    const [entry] = entries as [AccountEntry];
    followed.onEntry(carried({ ...entry, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] }));
    expect([cache.peek(ACCOUNT_ID), cache.bytes, errors.length]).to.deep.equal([undefined, 0, 1]);
  });

  it('a view that has grown too large is not held', () => {
    const { cache, followed, view } = start();
    const small = new ViewCache(8 * view.bytes);
    const few = new FollowedViews({ cache: small, repeated: new RepeatedQuestions(), log: { error: () => undefined } });
    small.put(ACCOUNT_ID, view);
    few.onEntry(carried(entries[0] as AccountEntry));
    expect([small.peek(ACCOUNT_ID), small.bytes, cache.size, followed.folded]).to.deep.equal([undefined, 0, 0, 0]);
  });

  it('are no replies: who waits for one does not see them', () => {
    const id = { incarnation: 'node', counter: 3 };
    const reply = writeReply(id, { failure: 'expired' }, NEWEST_FORMAT);
    const entry = writeEntry(entries[0] as AccountEntry, NEWEST_FORMAT);
    const followed = writeFollowed('node', { token: TOKEN, nextDueMs: null, entry }, NEWEST_FORMAT);
    expect(readReplies(`[${followed},${reply}]`)).to.deep.equal([['node', 3, { failure: 'expired' }]]);
  });
});
