import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../src/actors/core/account/account.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { mustStayInMemory } from '../../../src/actors/core/mustStayInMemory.ts';
import { groupMember } from '../../../src/features/subAccounts/rules.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { ACCOUNT_ID, deposit, place, Scenario } from '../../support/scenario.ts';

const SUB_ID = `0x${'cd'.repeat(20)}`;
const NOW = new FixtureMarket().nowMs;

const send = (usd: string, to = SUB_ID): AccountCommand => ({ type: 'sendTransfer', to, usd });
const receive = (number: number, after: number, usd = '5'): AccountCommand => ({
  ...{ type: 'receiveTransfer', from: SUB_ID },
  ...{ number, after, usd },
});
const funded = () => new Scenario().given(deposit('100'));
const cashOf = ({ account }: Scenario): string => account.cash.toString();

describe('transfers: what leaves one account comes to the other once', () => {
  const refused: { name: string; given?: AccountCommand; when: AccountCommand; want: string }[] = [
    { name: 'to itself', when: send('1', ACCOUNT_ID), want: 'A transfer needs two accounts.' },
    { name: 'nothing', when: send('0'), want: 'The amount of a transfer must be above 0.' },
    { name: 'less than nothing', when: send('-1'), want: 'The amount of a transfer must be above 0.' },
    {
      name: 'a millionth too much',
      when: send('100.000001'),
      want: 'Insufficient balance for transfer: 100.000001 of 100.0 USD that may leave.',
    },
    {
      // 5 SOL at 100 and 1 at 100.1: 600.1 USD and a fee of 0.270045 for 600 at the mark, of which 10 % stay (rule 4.7).
      name: 'what a position needs',
      given: place({ size: '6', limitPrice: '100.1', tif: 'ioc' }),
      when: send('50'),
      want: 'Insufficient balance for transfer: 50.0 of 39.629955 USD that may leave.',
    },
  ];
  for (const { name, given, when, want } of refused) {
    it(`refuses ${name}, and nothing changes`, () => {
      const scenario = funded().given(...(given ? [given] : []));
      const before = cashOf(scenario);
      scenario.when(when);
      expect(scenario.outcome).to.deep.equal({ type: 'refused', text: want });
      expect(cashOf(scenario)).to.equal(before);
      expect(scenario.account.transfers).to.equal(undefined);
    });
  }

  it('lets all go that may leave', () => {
    const scenario = funded().when(send('100'));
    expect(scenario.outcome).to.deep.equal({ type: 'transferSent', number: NOW, after: 0 });
    expect(cashOf(scenario)).to.equal('0');
    expect(scenario.account.totals.netDepositsUsd.toString()).to.equal('0');
    expect(mustStayInMemory(scenario.account)).to.equal(true);
  });

  it('numbers rise though the clock stands still, and each names the one before', () => {
    const scenario = funded().given(send('1')).when(send('1'));
    expect(scenario.outcome).to.deep.equal({ type: 'transferSent', number: NOW + 1, after: NOW });
  });

  it('sixteen may be under way to one account; a settled one makes room', () => {
    const scenario = funded().given(...Array.from({ length: 16 }, () => send('1')));
    scenario.when(send('1'));
    expect(scenario.outcome).to.include({ type: 'refused' });
    scenario.given({ type: 'settleTransfer', to: SUB_ID, number: NOW + 7 }).when(send('1'));
    expect(scenario.outcome).to.include({ type: 'transferSent' });
  });

  it('a settled one is forgotten, and settling it again changes nothing', () => {
    const scenario = funded().given(send('1'));
    const settle: AccountCommand = { type: 'settleTransfer', to: SUB_ID, number: NOW };
    scenario.when(settle).thenEvents({ type: 'transferSettled', to: SUB_ID, number: NOW });
    scenario.when(settle).thenEvents();
    expect(mustStayInMemory(scenario.account)).to.equal(false);
  });

  it('opens an account that was never opened, with nothing but what came', () => {
    const scenario = new Scenario().when(receive(9, 0));
    scenario.thenEvents({ type: 'accountOpened', depositUsd: '0' }, { type: 'transferReceived', usd: '5' });
    expect(cashOf(scenario)).to.equal('5');
    expect(scenario.account.rowCounts.ledger).to.equal(1);
  });

  it('receives each once, in whatever order they come', () => {
    const scenario = funded().given(receive(3, 2), receive(2, 1), receive(3, 2), receive(1, 0), receive(2, 1), receive(1, 0));
    expect(cashOf(scenario)).to.equal('115');
    expect(scenario.account.transfers?.get(SUB_ID)).to.deep.include({ receivedThrough: 3, receivedBeyond: [] });
  });

  it('receives the next one of a sender that has lost what it had sent before', () => {
    const scenario = funded().given(receive(10, 0), receive(20, 10));
    scenario.given(receive(30, 10), receive(20, 10));
    expect(cashOf(scenario)).to.equal('115');
  });

  it('a reset keeps what is known of transfers: none comes a second time, and what is under way arrives', () => {
    const scenario = funded().given(receive(10, 0), send('1'));
    scenario.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '500' }, receive(10, 0));
    expect(cashOf(scenario)).to.equal('500');
    expect(scenario.account.transfers?.get(SUB_ID)?.underWay).to.have.length(1);
  });

  it('a closed account still takes what was on its way', () => {
    const scenario = funded().given({ type: 'closeAccount' }, receive(1, 0));
    expect(cashOf(scenario)).to.equal('105');
  });

  it('whatever is sent, lost, repeated and late: at any two moments of the two accounts their sum is the same, and in the end nothing is under way', () => {
    const step = fc.record({
      act: fc.constantFrom('send', 'send', 'deliver', 'deliver', 'settle'),
      of: fc.nat(1),
      at: fc.nat(20),
      cents: fc.integer({ min: 1, max: 3000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (steps, draws) => {
        const pair = [funded(), new Scenario()] as const;
        pair[1].account = emptyAccount(SUB_ID);
        pair[1].given(deposit('50'));
        const members = pair.map(() => [] as Decimal[]);
        const note = (): void =>
          pair.forEach(({ account, market }, at) => {
            const { overview, transfers } = groupMember(account, undefined, { market, nowMs: market.nowMs });
            const sums = transfers.map(({ sentUsd, receivedUsd }) => new Decimal(sentUsd).minus(receivedUsd));
            members[at]?.push(Decimal.sum(overview.state.marginSummary.accountValue, ...sums, 0));
          });
        const messages: { readonly to: 0 | 1; readonly command: AccountCommand & { type: 'receiveTransfer' } }[] = [];
        const deliver = ({ to, command }: (typeof messages)[number]): void => void pair[to].when(command);
        const settle = ({ to, command }: (typeof messages)[number]): void => {
          const isThere = pair[to].account.transfers?.get(command.from)?.receivedUsd.gt(0) ?? false;
          const { receivedThrough = 0, receivedBeyond = [] } = pair[to].account.transfers?.get(command.from) ?? {};
          if (!isThere || (command.number > receivedThrough && !receivedBeyond.some(({ number }) => number === command.number)))
            return;
          pair[to === 0 ? 1 : 0].when({ type: 'settleTransfer', to: pair[to].account.id, number: command.number });
        };
        note();
        for (const { act, of, at, cents } of steps) {
          const to = of === 0 ? 1 : 0;
          const message = messages[at % (messages.length || 1)];
          if (act === 'send') {
            const sender = pair[of as 0 | 1].when(send(new Decimal(cents).div(100).toString(), pair[to].account.id));
            if (sender.outcome?.type === 'transferSent') {
              const { number, after } = sender.outcome;
              const usd = new Decimal(cents).div(100).toString();
              messages.push({ to, command: { type: 'receiveTransfer', from: sender.account.id, number, after, usd } });
            }
          } else if (message && act === 'deliver') deliver(message);
          else if (message) settle(message);
          note();
        }
        for (let i = 0; i < 5; i++) {
          const [a, b] = members.map((seen) => seen[(draws.next().value as number) % seen.length] as Decimal);
          expect(a?.plus(b as Decimal).toString()).to.equal('150');
        }
        for (const message of messages) deliver(message);
        for (const message of messages) settle(message);
        expect(pair[0].account.cash.plus(pair[1].account.cash).toString()).to.equal('150');
        for (const { account } of pair)
          expect([...(account.transfers?.values() ?? [])].flatMap(({ underWay }) => underWay)).to.deep.equal([]);
      }),
      { numRuns: 300 },
    );
  });
});
