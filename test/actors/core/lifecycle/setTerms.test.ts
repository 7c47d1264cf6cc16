import { expect } from 'chai';
import { readSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand, AccountQuery } from '../../../../src/actors/core/messages/command.ts';
import type { AnswerOf } from '../../../../src/actors/core/messages/queryAnswer.ts';
import type { FeeChoice } from '../../../../src/actors/core/messages/terms.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';
import { book, deposit, leverage, mark, place, Scenario, trade, wait } from '../../../support/scenario.ts';

const DAY_MS = 86_400_000;
const fees = (choice?: FeeChoice): AccountCommand => ({
  type: 'setTerms',
  terms: choice === undefined ? {} : { fees: choice },
});
const own = (maker: string, taker: string) => fees({ kind: 'own', maker, taker });
const buy = place({ size: '10', limitPrice: '100', tif: 'ioc' });
const BOOK = book('SOL', [['99.9', '50']], [['100', '50']]); // biome-ignore format: one line reads as a book

const given = () => new Scenario().given(deposit('10000'), BOOK);
const feesOf = ({ entries }: Scenario): string[] =>
  entries.flatMap(({ events }) => events.flatMap((event) => (event.type === 'orderFilled' ? [event.fee] : [])));

function asked<Kind extends AccountQuery['kind']>(
  scenario: Scenario,
  query: Extract<AccountQuery, { kind: Kind }>,
): AnswerOf<Kind> {
  scenario.when({ type: 'query', query });
  const { outcome } = scenario;
  if (outcome?.type !== 'answer') throw new Error('a question is answered');
  return outcome.answer as AnswerOf<Kind>;
}
const termsOf = (scenario: Scenario) => asked<'overview'>(scenario, { kind: 'overview' }).overview.terms;

describe('terms of an account: fees hold from the next fill on', () => {
  it('rule 7.1: the service’s own, then a tier, own rates with a rebate, and the service’s own again', () => {
    const scenario = given().given(buy, fees({ kind: 'tier', tier: 2 }), buy, own('-0.001', '0.01'), buy, fees(), buy);
    // 1000 USD at 0.045 %, 0.035 %, 1 %, 0.045 %.
    expect(feesOf(scenario)).to.deep.equal(['0.45', '0.35', '10', '0.45']);
    expect(scenario.account.totals.feesUsd.toFixed()).to.equal('11.25');
  });

  it('an order that rested before pays, or gets, the rates of its fill', () => {
    const scenario = given().given(place({ size: '10', limitPrice: '99' }), own('-0.001', '0.0004'), wait(10));
    scenario.when(trade('SOL', ['sell', '98.9', '10']));
    expect(feesOf(scenario)).to.deep.equal(['-0.99']);
    expect(scenario.account.cash.toFixed()).to.equal('9010.99');
  });

  it('a change is an event; the same terms again are none, and neither is the default of an account that had no other', () => {
    const scenario = given().when(fees());
    expect(scenario.events).to.deep.equal([]);
    scenario.when(fees({ kind: 'volume' }));
    expect(scenario.events).to.deep.equal([{ type: 'termsSet', fees: { kind: 'volume' } }]);
    scenario.when(fees({ kind: 'volume' }));
    expect(scenario.events).to.deep.equal([]);
  });

  it('costs an account that never had others no byte, and is told with its last change once there were fills', () => {
    const scenario = given();
    const bytes = toSnapshot(scenario.account, NEWEST_FORMAT);
    expect(bytes).not.to.include('"terms"');
    scenario.given(fees({ kind: 'tier', tier: 1 }), fees());
    expect(scenario.account.terms).to.equal(undefined);
    scenario.given(fees({ kind: 'tier', tier: 1, rebate: 2 }), buy);
    expect(termsOf(scenario)).to.deep.equal({
      fees: { source: 'tier', tier: 1, rebate: 2, maker: '-0.00002', taker: '0.0004' },
      fillModel: 'queue',
    });
    scenario.given(wait(50), fees());
    expect(termsOf(scenario)).to.deep.equal({
      fees: { source: 'default', maker: '0.00015', taker: '0.00045' },
      fillModel: 'queue',
      changedAtMs: scenario.market.nowMs,
    });
  });

  it('survives a reset, after which no fill was under others, and a snapshot', () => {
    const scenario = given().given(buy, own('0', '0.0002'));
    scenario.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' }, book('SOL', [['99.9', '50']], [['100', '90']]));
    expect(scenario.account.terms).to.deep.equal({ fees: { kind: 'own', maker: '0', taker: '0.0002' } });
    const read = readSnapshot(JSON.parse(toSnapshot(scenario.account, NEWEST_FORMAT)));
    expect(read.terms).to.deep.equal(scenario.account.terms);
    expect(feesOf(scenario.when(buy)).at(-1)).to.equal('0.2');
  });

  it('rule 7.1: the venue’s tier by volume counts from the next UTC day on, and for 14 days', () => {
    const scenario = new Scenario(new FixtureMarket()).given(
      deposit('10000000'),
      fees({ kind: 'volume' }),
      book('SOL', [['99.9', '90000']], [['100', '90000']]),
      place({ size: '50000', limitPrice: '100', tif: 'ioc' }),
      // Exactly 5M is not above it: a lot more is.
      place({ size: '1', limitPrice: '100', tif: 'ioc' }),
    );
    const again = (passedMs: number) => {
      scenario.given(wait(passedMs), book('SOL', [['99.9', '90000']], [['100', '90000']]), mark('SOL', '100'));
      scenario.when(place({ size: '1', limitPrice: '100', tif: 'ioc' }));
      return feesOf(scenario).at(-1);
    };
    expect(feesOf(scenario)).to.deep.equal(['2250', '0.045']);
    expect(again(DAY_MS)).to.equal('0.04');
    expect(termsOf(scenario).fees).to.deep.equal({ source: 'volume', tier: 1, maker: '0.00012', taker: '0.0004' });
    expect(again(13 * DAY_MS)).to.equal('0.04');
    expect(again(DAY_MS)).to.equal('0.045');
  });

  it('a dry run foretells them, and so does the fee of what would rest', () => {
    const scenario = given().given(own('-0.0005', '0.002'));
    const { orders } = place({ size: '60', limitPrice: '100' }) as Extract<AccountCommand, { type: 'placeOrders' }>;
    const command = { type: 'placeOrders', orders, grouping: 'na' } as const;
    const { dryRun } = asked<'dryRun'>(scenario, { kind: 'dryRun', command });
    expect([dryRun.executions[0]?.fee, dryRun.resting[0]?.makerFee]).to.deep.equal(['10.0', '-0.5']);
  });

  it('rule 5.5: a liquidation leaves room for the account’s taker rate, and pays it', () => {
    const sold = (terms: AccountCommand) => {
      const scenario = new Scenario().given(
        ...[deposit('1000'), terms, leverage(2, 20, 'isolated'), BOOK, place({ size: '10', limitPrice: '100', tif: 'ioc' })],
        ...[book('SOL', [['96', '50']], [['96.2', '50']]), mark('SOL', '96.5')],
      );
      const fill = scenario.entries.flatMap(({ events }) => events).find((event) => 'liquidation' in event && event.liquidation);
      const end = scenario.entries.flatMap(({ events }) => events).findLast(({ type }) => type === 'orderEnded');
      if (fill?.type !== 'orderFilled' || end?.type !== 'orderEnded') throw new Error('the position is sold');
      return [fill.fee, end.order.limitPrice];
    };
    // 960 USD at 0.045 % and at 0.5 %. Bankrupt at (50 - 0.45 - 1000)/10 = -95.045: 95.045/(1 - 0.00045) up to the tick.
    expect(sold(fees())).to.deep.equal(['0.432', '95.088']);
    // (50 - 5 - 1000)/10 = -95.5: 95.5/(1 - 0.005) = 95.9798…
    expect(sold(own('0', '0.005'))).to.deep.equal(['4.8', '95.98']);
  });

  it('a what-if’s own fees go before those that it has taken over, and what began otherwise has those', () => {
    const scenario = given().given(own('0', '0.001'));
    const { account } = scenario;
    const under = (fees: { readonly maker: string; readonly taker: string } | undefined) => {
      const of = { of: account.id, seq: account.seq, hash: 'h', timeMs: 0, usd: account.cash };
      const fork = new Scenario().given(deposit('10000'), BOOK);
      fork.account = {
        ...fork.account,
        ...(account.terms && { terms: account.terms }),
        fork: { ...of, ...(fees && { terms: { fees } }) },
      };
      return [feesOf(fork.when(buy)).at(-1), termsOf(fork).fees.source];
    };
    expect(under({ maker: '-0.0001', taker: '0' })).to.deep.equal(['0', 'what_if']);
    expect(under(undefined)).to.deep.equal(['1', 'own']);
  });
});
