import { expect } from 'chai';
import type { Account } from '../../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { EMPTY_HOUSE, houseAfter } from '../../../../src/actors/core/history/houseLedger.ts';
import { rowsEndedByReset, rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import { NO_ROWS } from '../../../../src/actors/core/messages/historyRows.ts';
import { mustStayInMemory } from '../../../../src/actors/core/mustStayInMemory.ts';
import { Decimal, ZERO } from '../../../../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { given, givenUsd, leverage, mark, place, type Scenario, stop, trade, wait } from '../../../support/scenario.ts';

const SOL = 2;
const ISO = 3;

const topUp = (plan: 'basic' | 'pro' = 'basic'): AccountCommand => ({
  type: 'topUp',
  plan,
  balanceUsd: plan === 'pro' ? '100000' : '10000',
});
const reset = (plan: 'basic' | 'pro' = 'basic'): AccountCommand => ({ ...topUp(plan), type: 'resetAccount' }) as AccountCommand;
const setBalance = (balanceUsd: string): AccountCommand => ({ type: 'setBalance', balanceUsd });
const credit: AccountCommand = { type: 'creditPlan', usd: '90000' };
const close: AccountCommand = { type: 'closeAccount' };
const twap: AccountCommand = {
  ...{ type: 'startTwap', asset: SOL, side: 'buy', size: '10', minutes: 5 },
  ...{ reduceOnly: false, randomize: false },
};

const cashOf = ({ account }: Scenario): string => account.cash.toString();
const ledgerOf = ({ entries }: Scenario, from = 0) =>
  entries.slice(from).flatMap((entry) => rowsOf(entry).flatMap((row) => (row.kind === 'ledger' ? [row] : [])));

/** Long 5 SOL cross and 3 ISO isolated, an order, a trigger, a TWAP whose first slice buys 0.9 SOL, and the dead man's switch. */
const busy = (): Scenario =>
  given(leverage(ISO, 3, 'isolated'))
    .given(place({ size: '5', limitPrice: '101', tif: 'ioc' }), place({ asset: ISO, size: '3', limitPrice: '51', tif: 'ioc' }))
    .given(place({ limitPrice: '90' }, stop('80', { limitPrice: '75' })), twap)
    .given({ type: 'scheduleCancel', dueMs: Number.MAX_SAFE_INTEGER })
    .given(wait(1));

describe('topUp: fresh money for an account that is worth less than 100 USD', () => {
  it('99.99 is topped up to the plan’s balance, and the difference is a deposit', () => {
    const scenario = givenUsd('99.99').when(topUp()).thenOutcomes('balanceChanged');
    expect(cashOf(scenario)).to.equal('10000');
    expect(ledgerOf(scenario, 1).map(({ row }) => row)).to.deep.include.members([
      { timeMs: scenario.account.timeMs, kind: 'deposit', usd: '9900.01' },
    ]);
    expect(scenario.account.totals.netDepositsUsd.toString()).to.equal('10000');
  });

  it('100 is too much', () => {
    givenUsd('100').when(topUp()).thenOutcomes('Balance too high for reset').thenEvents();
  });

  it('what the account is worth counts, not its cash: with a position its worth becomes the balance', () => {
    const scenario = givenUsd('150', place({ size: '5', limitPrice: '101', tif: 'ioc' }));
    scenario.when(topUp()).thenOutcomes('Balance too high for reset').given(mark('SOL', '85')).when(topUp());
    expect(scenario.outcome).to.include({ type: 'balanceChanged' });
    expect(scenario.state().marginSummary.accountValue).to.equal('10000.0');
  });

  it('on pro it is 100,000, with the plan’s credit in it', () => {
    const scenario = givenUsd('1').when(topUp('pro')).when(credit).thenOutcomes('done').thenEvents();
    expect(cashOf(scenario)).to.equal('100000');
  });
});

describe('setBalance: cash becomes exactly that', () => {
  it('more, less and the same', () => {
    const scenario = given(setBalance('25000.5'));
    expect(cashOf(scenario)).to.equal('25000.5');
    scenario.when(setBalance('1000')).when(setBalance('1000')).thenOutcomes('balanceChanged').thenEvents();
    expect(cashOf(scenario)).to.equal('1000');
    expect(ledgerOf(scenario).map(({ number, row }) => [number, row.kind, 'usd' in row && row.usd])).to.deep.equal([
      [0, 'deposit', '10000'],
      [1, 'deposit', '15000.5'],
      [2, 'withdraw', '-24000.5'],
    ]);
    expect(scenario.account.totals.netDepositsUsd.toString()).to.equal('1000');
  });

  const open: { name: string; steps: readonly AccountCommand[] }[] = [
    { name: 'a position', steps: [place({ limitPrice: '101', tif: 'ioc' })] },
    { name: 'an order', steps: [place({ limitPrice: '90' })] },
    { name: 'a trigger order', steps: [place(stop('80', { limitPrice: '75', reduceOnly: false }))] },
    { name: 'a TWAP', steps: [twap] },
  ];
  for (const { name, steps } of open) {
    it(`is refused while ${name} is open`, () => {
      const scenario = given(...steps, wait(1))
        .when(setBalance('5000'))
        .thenEvents();
      expect(scenario.outcome).to.include({ type: 'refused' });
    });
  }
});

describe('creditPlan: once ever', () => {
  it('a second one does nothing, also after a reset', () => {
    const scenario = given(credit, credit);
    expect(cashOf(scenario)).to.equal('100000');
    scenario.given(reset('basic'), credit);
    expect(cashOf(scenario)).to.equal('10000');
  });

  it('a reset on pro has it in its balance; one on basic does not', () => {
    expect(cashOf(given(reset('pro'), credit))).to.equal('100000');
    expect(cashOf(given(reset('basic'), credit))).to.equal('100000');
  });
});

describe('resetAccount: nothing is left of what was before', () => {
  it('edge 91: with positions and a running TWAP all is gone, no fill, and nothing comes late', () => {
    const scenario = busy().given(wait(60_000));
    const before = scenario.entries.length;
    scenario.when(reset()).thenOutcomes('balanceChanged');
    expect(scenario.events.some(({ type }) => type === 'orderFilled')).to.equal(false);
    const { account } = scenario;
    expect([account.positions.size, account.orders.size, account.triggers.size, account.twaps.size]).to.deep.equal([0, 0, 0, 0]);
    expect([account.leverage.size, account.funding.size, account.scheduledCancel.dueMs]).to.deep.equal([0, 0, undefined]);
    expect(cashOf(scenario)).to.equal('10000');
    expect(mustStayInMemory(account)).to.equal(false);
    scenario.given(wait(600_000), mark('SOL', '70'), trade('SOL', ['sell', '60', '100']));
    expect(scenario.entries.slice(before)).to.have.length(1);
  });

  it('its rows are the deposit and what it makes, in buckets of their own; others of the same entry are none', () => {
    const scenario = busy().when(reset());
    const last = scenario.entries.at(-1);
    const worth = { accountValue: '10000.0', balance: '10000.0', netDepositsUsd: '10000.0', openPositions: 0 };
    expect(last && rowsOf(last)).to.deep.equal([
      { kind: 'ledger', number: 256, row: { timeMs: last?.timeMs, kind: 'deposit', usd: '10000' } },
      { kind: 'equity', number: 256, row: { timeMs: last?.timeMs, ...worth } },
    ]);
    const { rowCounts, historyStart, seq, totals, openedAtMs, timeMs } = scenario.account;
    const counts = { fills: 256, orders: 256, ledger: 257, funding: 0, twapFills: 256, twaps: 256, equity: 257, roundTrips: 0 };
    expect(rowCounts).to.deep.equal(counts);
    const lastSeqs = { ...NO_ROWS, orders: seq, twaps: seq };
    expect(historyStart).to.deep.equal({ firstRows: { ...counts, ledger: 256, equity: 256, roundTrips: 0 }, seq, lastSeqs });
    expect([totals.netDepositsUsd.toString(), totals.volumeUsd.toString(), totals.requestsUsed]).to.deep.equal(['10000', '0', 0]);
    expect(openedAtMs).to.equal(timeMs);
  });

  it('tells the end of each order and TWAP that was open, and of no fill; where nothing was open there is nothing to tell', () => {
    const scenario = busy();
    const { orders, triggers, twaps } = scenario.account;
    const open = [...orders.keys(), ...triggers.keys()].sort((a, b) => a - b);
    const running = [...twaps.keys()];
    expect([open.length, running.length]).to.deep.equal([2, 1]);
    scenario.when(reset());
    const ended = rowsEndedByReset(scenario.entries.at(-1) as Scenario['entries'][number]);
    const told = ended.map(({ kind, row }) => {
      if (kind === 'orders') return `${row.order.oid} ${row.status}`;
      return kind === 'twaps' ? `${row.twap.twapId} ${row.change.status}` : kind;
    });
    expect(told).to.deep.equal([...open.map((oid) => `${oid} canceled`), ...running.map((id) => `${id} terminated`)]);
    scenario.when(reset());
    expect(rowsEndedByReset(scenario.entries.at(-1) as Scenario['entries'][number])).to.deep.equal([]);
    expect(scenario.account.historyStart).not.to.have.property('lastSeqs');
  });

  it('ids go on, beyond the document of ended orders that was in use', () => {
    const scenario = busy();
    const last = Math.max(...scenario.account.orders.keys(), ...scenario.account.triggers.keys());
    scenario.given(reset(), place({ limitPrice: '90' }));
    expect(Math.floor(scenario.oid() / 4096)).to.be.greaterThan(Math.floor(last / 4096));
  });

  it('what was due before it leaves no row either', () => {
    const scenario = given(twap);
    scenario.market.advance(60_000);
    scenario.when(reset());
    expect(scenario.events.map(({ type }) => type)).to.include.members(['twapSliced', 'twapEnded', 'accountReset']);
    const rows = rowsOf(scenario.entries.at(-1) as Scenario['entries'][number]);
    expect(rows.map(({ kind }) => kind)).to.deep.equal(['ledger', 'equity']);
    expect(cashOf(scenario)).to.equal('10000');
  });

  it('a reset of an account at rest, and one after the other', () => {
    const scenario = given(reset('pro'), reset('basic'));
    expect(cashOf(scenario)).to.equal('10000');
    expect(scenario.account.rowCounts.ledger).to.equal(513);
  });

  it('the account goes on from its snapshot', () => {
    const { account } = busy().given(reset('pro'), place({ limitPrice: '90' }));
    expect(toSnapshot(fromSnapshot(toSnapshot(account, NEWEST_FORMAT)), NEWEST_FORMAT)).to.equal(
      toSnapshot(account, NEWEST_FORMAT),
    );
    expect(fromSnapshot(toSnapshot(account, NEWEST_FORMAT))).to.deep.include({
      historyStart: account.historyStart,
      isPlanCredited: true,
    });
  });
});

describe('closeAccount: nothing is open any more, cash and history stay', () => {
  it('orders end as canceled, positions at their marks without a fee, and the account leaves memory', () => {
    const scenario = busy().given(mark('SOL', '103'), mark('ISO', '49'));
    const worth = scenario.state().marginSummary.accountValue;
    scenario.when(close).thenOutcomes('done').thenEnds('canceled', 'canceled');
    expect(mustStayInMemory(scenario.account)).to.equal(false);
    expect(new Decimal(worth).eq(scenario.account.cash)).to.equal(true);
    const last = scenario.entries.at(-1) as Scenario['entries'][number];
    const fills = rowsOf(last).flatMap(({ kind, row }) => (kind === 'fills' ? [row] : []));
    expect(fills.map((row) => 'direction' in row && [row.coin, row.direction, row.price, row.size, row.fee])).to.deep.equal([
      ['SOL', 'Close Long', '103', '5.9', '0'],
      ['ISO', 'Close Long', '49', '3', '0'],
    ]);
  });

  it('a second time does nothing, and who comes back goes on with the cash', () => {
    const scenario = busy().given(close);
    const cash = cashOf(scenario);
    scenario
      .when(close)
      .thenEvents()
      .when(place({ limitPrice: '90' }))
      .thenOutcomes('resting');
    expect(cashOf(scenario)).to.equal(cash);
  });
});

describe('the house is the other side of what is closed at the mark', () => {
  for (const [name, command] of [
    ['closeAccount', close],
    ['resetAccount', reset()],
  ] as const) {
    it(`${name}: its cash falls by what it paid and it holds the coins`, () => {
      const scenario = busy().given(mark('SOL', '103'), mark('ISO', '49'));
      const house = (entries: Scenario['entries']) => entries.flatMap(({ events }) => events).reduce(houseAfter, EMPTY_HOUSE);
      const before = house(scenario.entries);
      scenario.when(command);
      const after = house(scenario.entries);
      expect(before.cashUsd.minus(after.cashUsd).toString()).to.equal('754.7');
      expect([...after.positions].map(([coin, size]) => `${coin} ${size.toString()}`)).to.deep.equal(['SOL 5.9', 'ISO 3']);
      expect(after.lossUsd).to.equal(ZERO);
    });
  }
});

describe('forgetHistory: rows that are too old', () => {
  const forget = (account: Account, fills: number, beforeMs = account.timeMs): AccountCommand => ({
    type: 'forgetHistory',
    beforeMs,
    firstRows: { fills, orders: 0, ledger: 0, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 },
    seq: 3,
  });
  const traded = () =>
    given(...Array.from({ length: 300 }, () => setBalance('9000')).flatMap((step) => [step, setBalance('9001')]));

  it('history begins later, and never earlier again', () => {
    const scenario = traded();
    const firstLedger = (number: number): AccountCommand => ({
      ...(forget(scenario.account, 0) as Extract<AccountCommand, { type: 'forgetHistory' }>),
      firstRows: { fills: 0, orders: 0, ledger: number, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 },
    });
    scenario.when(firstLedger(512)).thenOutcomes('done');
    expect(scenario.account.historyStart).to.deep.equal({
      firstRows: { fills: 0, orders: 0, ledger: 512, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 },
      seq: 3,
    });
    scenario.when(firstLedger(256)).thenEvents().when(firstLedger(512)).thenEvents().when(firstLedger(1024)).thenEvents();
  });

  it('the entries of the newest rows that are gone are remembered', () => {
    const scenario = traded();
    const none = { fills: 0, orders: 0, ledger: 0, funding: 0, twapFills: 0, twaps: 0, equity: 0, roundTrips: 0 };
    const command = {
      ...(forget(scenario.account, 0) as Extract<AccountCommand, { type: 'forgetHistory' }>),
      firstRows: { ...none, ledger: 256 },
    };
    const lastSeqs = { ...none, ledger: 256 };
    scenario.when({ ...command, lastSeqs }).thenOutcomes('done');
    expect(scenario.account.historyStart).to.deep.include({ lastSeqs });
    expect(fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT)).historyStart).to.deep.equal(scenario.account.historyStart);
    // A command from before they were asked for forgets nothing of it.
    scenario.when({ ...command, firstRows: { ...none, ledger: 512 } }).thenOutcomes('done');
    expect(scenario.account.historyStart).to.deep.include({ lastSeqs });
  });

  it('a later beginning is in the snapshot, also of an account without an order', () => {
    const { account } = given();
    const later = { ...account, historyStart: { firstRows: { ...account.rowCounts, ledger: 256 }, seq: 0 } };
    expect(fromSnapshot(toSnapshot(later, NEWEST_FORMAT)).historyStart).to.deep.equal(later.historyStart);
  });

  it('what is needed for an open position stays, from its opening or flip on', () => {
    const scenario = given(place({ limitPrice: '101', tif: 'ioc' }));
    const openedMs = scenario.account.timeMs;
    scenario.given(wait(5000), place({ limitPrice: '101', tif: 'ioc' }));
    expect(scenario.when(forget(scenario.account, 0, openedMs)).outcome).to.include({ type: 'done' });
    expect(scenario.when(forget(scenario.account, 0, openedMs + 1)).outcome).to.include({ type: 'refused' });
    scenario.given(place({ side: 'sell', size: '3', limitPrice: '99', tif: 'ioc' }));
    expect(scenario.when(forget(scenario.account, 0, openedMs + 5000)).outcome).to.include({ type: 'done' });
  });

  it('what is needed for an open order stays', () => {
    const scenario = given(place({ limitPrice: '90' }));
    expect(scenario.when(forget(scenario.account, 0, scenario.account.timeMs)).outcome).to.include({ type: 'done' });
    expect(scenario.when(forget(scenario.account, 0, scenario.account.timeMs + 1)).outcome).to.include({ type: 'refused' });
  });
});
