import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { requestCountOf } from '../../../src/actors/core/account/limits.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { deposit, leverage, place, Scenario, wait } from '../../support/scenario.ts';

const SOL = 2;
const HINT = 'Place taker orders to free up 1 request per USDC traded.';
const refusal = (sent: number, allowed: number, volume = '0') =>
  `Too many cumulative requests sent (${sent} > ${allowed}) for cumulative volume traded $${volume}. ${HINT}`;

/** So many cancels of nothing: each counts. */
function cancels(count: number): AccountCommand {
  return { type: 'cancelOrders', cancels: Array.from({ length: count }, () => ({ asset: SOL, target: { oid: 1 } })) };
}

const reserve = (weight: number): AccountCommand => ({ type: 'reserveRequests', weight });

/** An account that has sent so many requests and traded nothing. */
function having(requests: number): Scenario {
  const scenario = new Scenario().given(deposit('10000'));
  scenario.addressLimit = true;
  for (let left = requests; left > 0; left -= 1000) scenario.given(cancels(Math.min(left, 1000)));
  return scenario;
}

/** The first action beyond the limit has gone through, and the next is 10 s away. */
const beyond = () => having(10_000).given(leverage(SOL, 3));

describe('address limit: the limit', () => {
  it('rule 1.8: 10,000 actions of an account that has traded nothing, and one more; then one every 10 s', () => {
    const scenario = having(9_999);
    scenario.when(leverage(SOL, 3)).thenEvents({ type: 'leverageSet' });
    scenario.when(leverage(SOL, 4)).thenEvents(
      { type: 'leverageSet' },
      {
        type: 'requestLetThrough',
        nextAtMs: scenario.market.nowMs + 10_000,
      },
    );
    scenario.when(leverage(SOL, 5)).thenOutcomes(refusal(10_001, 9_999)).thenEvents();
    scenario.given(wait(9_999)).when(leverage(SOL, 5)).thenOutcomes(refusal(10_001, 9_999));
    scenario.given(wait(1)).when(leverage(SOL, 5)).thenOutcomes('done');
    scenario.when(leverage(SOL, 6)).thenOutcomes(refusal(10_002, 9_999));
  });

  it('rule 1.8: a refused action is no entry and does not count', () => {
    const scenario = beyond();
    const { account, entries } = scenario;
    const length = entries.length;
    for (let each = 0; each < 5; each++) scenario.when(place({})).thenOutcomes(refusal(10_001, 9_999));
    expect(scenario.account).to.equal(account);
    expect(scenario.entries).to.have.length(length);
  });

  it('EX-1.8: each whole USD that was traded is one more; the text has the exact volume', () => {
    const scenario = having(9_999).given(place({ limitPrice: '100', size: '0.5', tif: 'ioc' }));
    expect(requestCountOf(scenario.account)).to.deep.equal({ used: 10_000, cap: 10_050, surplus: 0 });
    scenario.given(place({ side: 'sell', limitPrice: '99.9', size: '0.5', tif: 'ioc' }));
    // 50 and 49.95: 99 more.
    expect(requestCountOf(scenario.account)).to.deep.equal({ used: 10_001, cap: 10_099, surplus: 0 });
    scenario.given(cancels(98), leverage(SOL, 3));
    scenario.when(leverage(SOL, 4)).thenOutcomes(refusal(10_100, 10_098, '99.95'));
  });

  it('rule 1.8: a batch below the limit goes through whole; one beyond it pauses for 10 s for each of its orders', () => {
    const scenario = having(9_999);
    scenario.when(place({ limitPrice: '90' }, { limitPrice: '91' }, { limitPrice: '92' }));
    expect(requestCountOf(scenario.account).used).to.equal(10_002);
    scenario.when(place({ limitPrice: '90' }, { limitPrice: '91' }));
    expect(scenario.account.addressLimit?.nextAtMs).to.equal(scenario.market.nowMs + 20_000);
    scenario.given(wait(19_999)).when(leverage(SOL, 3)).thenOutcomes(refusal(10_004, 9_999));
    scenario.given(wait(1)).when(leverage(SOL, 3)).thenOutcomes('done');
  });

  it('rule 1.8: cancels go on up to the smaller of 100,000 more and twice the limit', () => {
    const scenario = having(19_999);
    scenario.when(leverage(SOL, 3)).thenOutcomes('done').when(leverage(SOL, 4)).thenOutcomes(refusal(20_000, 9_999));
    scenario.when(cancels(1)).thenOutcomes(refusal(20_000, 19_999)).thenEvents();
    scenario.when({ type: 'cancelTwap', asset: SOL, twapId: 1 }).thenOutcomes(refusal(20_000, 19_999));
    const one = having(19_998).given(leverage(SOL, 3));
    one.when(cancels(1)).thenOutcomes('Order was never placed, already canceled, or filled. asset=2').thenEvents();
    one.when(cancels(1)).thenOutcomes(refusal(20_000, 19_999));
  });

  it('rule 1.8: what is due, questions and what the service itself sends are not asked', () => {
    const scenario = beyond();
    for (const command of [
      { type: 'query', query: { kind: 'summary' } },
      { type: 'topUp', plan: 'basic', balanceUsd: '10000' },
      { type: 'closeAccount' },
    ] satisfies AccountCommand[]) {
      scenario.when(command);
      expect(JSON.stringify(scenario.outcome)).not.to.include('Too many cumulative requests');
    }
  });

  it('rule 1.8: a reset begins a new count, and ends the pause', () => {
    const scenario = beyond().given({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    expect(scenario.account.addressLimit).to.equal(undefined);
    scenario.when(leverage(SOL, 3)).thenOutcomes('done').when(leverage(SOL, 4)).thenOutcomes('done');
  });

  it('is off without the variable', () => {
    const off = having(10_000);
    off.addressLimit = false;
    off.given(leverage(SOL, 3)).when(leverage(SOL, 4)).thenOutcomes('done').thenEvents({ type: 'leverageSet' });
  });

  it('is the same after a reload', () => {
    const scenario = beyond().given(reserve(0));
    scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    scenario.when(leverage(SOL, 4)).thenOutcomes(refusal(10_002, 9_999));
  });
});

describe('reserveRequests: requests that are paid for', () => {
  it('EX-1.8b: 0.0005 USD each, taken from cash as a withdrawal, also beyond the limit', () => {
    const scenario = beyond();
    scenario.when(reserve(2_000)).thenEvents({ type: 'balanceAdjusted', usd: '-1' }, { type: 'requestsReserved', weight: 2_000 });
    expect(scenario.account.cash.toString()).to.equal('9999');
    expect(scenario.account.totals.netDepositsUsd.toString()).to.equal('9999');
    // 10,002 were sent, the payment itself among them.
    expect(requestCountOf(scenario.account)).to.deep.equal({ used: 8_002, cap: 10_000, surplus: 0 });
    scenario.when(leverage(SOL, 4)).thenEvents({ type: 'leverageSet' });
  });

  it('rule 1.8: what is paid for and not sent is a surplus', () => {
    const scenario = having(0).given(reserve(30));
    expect(requestCountOf(scenario.account)).to.deep.equal({ used: 0, cap: 10_000, surplus: 29 });
    scenario.given(reserve(12), cancels(50));
    expect(requestCountOf(scenario.account)).to.deep.equal({ used: 10, cap: 10_000, surplus: 0 });
  });

  it('rule 1.8: all that could leave the account may be spent, one request more may not; none changes nothing', () => {
    const scenario = having(0);
    const text = 'Insufficient balance to reserve request weight.';
    scenario.when(reserve(20_000_001)).thenOutcomes(text).thenEvents();
    scenario.when(reserve(0)).thenOutcomes('done').thenEvents();
    scenario.when(reserve(20_000_000)).thenOutcomes('done');
    expect(scenario.account.cash.toString()).to.equal('0');
  });
});
