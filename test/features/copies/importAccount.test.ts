// The import of an address into an empty account: sums by hand, each reason to leave something out on both sides of its boundary,
// and promises that hold for any address.
import { expect } from 'chai';
import fc from 'fast-check';
import { emptyAccount } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { accountValue, balanceOf } from '../../../src/actors/core/margin/margin.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { readEntry, writeEntry } from '../../../src/actors/core/messages/entry.ts';
import type { ImportReport, SourceOrder, SourcePosition } from '../../../src/actors/core/messages/importReport.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { deposit, leverage, mark, place, Scenario } from '../../support/scenario.ts';

const SOURCE = `0x${'cd'.repeat(20)}`;
const CLOID = `0x${'01'.repeat(16)}`;

type Command = Extract<AccountCommand, { type: 'importAccount' }>;

const command = (fields: Partial<Command> = {}): Command => ({
  ...{ type: 'importAccount', source: SOURCE, scale: '1', takenAtMs: 1_700_000_000_000, accountValue: '1000' },
  ...{ positions: [], orders: [], left: [], ...fields },
});
const position = (fields: Partial<SourcePosition> = {}): SourcePosition => ({
  ...{ coin: 'SOL', signedSize: '10', entryPrice: '90', value: '1000' },
  ...{ marginMode: 'cross', leverage: 20, rawUsd: '0', ...fields },
});
const order = (fields: Partial<SourceOrder> = {}): SourceOrder => ({
  ...{ oid: 7, coin: 'SOL', side: 'buy', limitPrice: '95', size: '2', reduceOnly: false, timeInForce: 'gtc', ...fields },
});
const stop = (fields: Partial<SourceOrder> = {}): SourceOrder =>
  order({
    ...{ oid: 8, side: 'sell', limitPrice: '80', reduceOnly: true, timeInForce: 'never' },
    ...{ trigger: { price: '85', tpsl: 'sl', isMarket: true }, ...fields },
  });

const begun = () => new Scenario(new FixtureMarket()).given(deposit('0'));

function reportOf({ outcome }: Scenario): ImportReport {
  if (outcome?.type !== 'imported') throw new Error(JSON.stringify(outcome));
  return outcome.report;
}

const imported = (fields: Partial<Command>): ImportReport => reportOf(begun().when(command(fields)));
/** The parts that are left out, in words. */
const leftOf = (fields: Partial<Command>): string[] =>
  imported(fields).left.map(({ kind, coin, reason, oid }) => `${kind} ${coin} ${reason}${oid === undefined ? '' : ` ${oid}`}`);

describe('importAccount: an empty account begins with what an address has', () => {
  it('with sums by hand: sizes scaled and cut to lots, entry prices kept, the account value that of the address', () => {
    const positions = [
      position({ signedSize: '10.03', value: '1003' }),
      position({
        coin: 'ISO',
        signedSize: '-8',
        entryPrice: '52',
        value: '400',
        marginMode: 'isolated',
        leverage: 5,
        rawUsd: '500',
      }),
    ];
    const scenario = begun().when(command({ scale: '0.5', accountValue: '2000', positions }));
    // SOL: 5.015 is cut to 5.01, worth 501, bought for 450.9. ISO: -4, worth -200, sold for 208; half of its margin.
    const report = reportOf(scenario);
    expect(report.positions.map(({ coin, signedSize, rawUsd }) => [coin, signedSize, rawUsd])).to.deep.equal([
      ['SOL', '5.01', '0'],
      ['ISO', '-4', '250'],
    ]);
    expect(report.usd, '1000 - 50.1 - 8').to.equal('941.9');
    const { account, market } = scenario;
    expect(account.cash.toString(), '941.9 - 450.9 + 208 - 250').to.equal('449');
    expect(accountValue(account, market).toString()).to.equal('1000');
    expect(balanceOf(account).toString()).to.equal('941.9');
    expect(account.totals.netDepositsUsd.toString()).to.equal('941.9');
    expect(account.leverage.get(market.require('ISO').id)).to.deep.equal({ marginMode: 'isolated', leverage: 5 });
    expect(account.imported).to.include({ source: SOURCE, scale: '0.5', seq: 2 });
    expect(scenario.entries, 'one entry').to.have.length(2);
    expect(scenario.events.map(({ type }) => type)).to.deep.equal(['imported']);
  });

  it('with its open orders, by the rules of every order, under their client ids and at the end of the queue', () => {
    const orders = [
      order({ cloid: CLOID }),
      stop(),
      order({
        ...{ oid: 9, limitPrice: '96' },
        children: [
          stop({ oid: 10 }),
          stop({ oid: 11, limitPrice: '110', trigger: { price: '110', tpsl: 'tp', isMarket: false } }),
        ],
      }),
      stop({ oid: 12, size: '0', limitPrice: '65', trigger: { price: '70', tpsl: 'sl', isMarket: true, isPosition: true } }),
      order({ oid: 13, side: 'sell', limitPrice: '120', size: '3', reduceOnly: true, timeInForce: 'alo' }),
    ];
    const scenario = begun().when(command({ scale: '2', positions: [position()], orders }));
    const { account } = scenario;
    const report = reportOf(scenario);
    expect(report.left).to.deep.equal([]);
    expect(report.orders.map(([, source]) => source)).to.deep.equal([7, 8, 9, 10, 11, 12, 13]);
    const oidOf = (source: number): number => report.orders.find(([, of]) => of === source)?.[0] ?? 0;
    expect(account.orders.get(oidOf(7))).to.include({ cloid: CLOID, size: '4', limitPrice: '95', timeInForce: 'gtc' });
    expect(account.orders.get(oidOf(13))).to.include({ size: '6', reduceOnly: true, timeInForce: 'alo' });
    expect(account.triggers.get(oidOf(8))).to.include({ size: '4', waitsFor: 'mark' });
    expect(account.triggers.get(oidOf(10))).to.include({ waitsFor: 'fill' });
    expect(account.triggers.get(oidOf(10))?.trigger).to.include({ grouping: 'normalTpsl', parentOid: oidOf(9) });
    expect(account.triggers.get(oidOf(11))?.trigger).to.include({ tpsl: 'tp', isMarket: false });
    expect(account.triggers.get(oidOf(12))?.trigger).to.include({ grouping: 'positionTpsl' });
    expect(scenario.entries).to.have.length(2);
  });

  const positionCases: [name: string, fields: Partial<SourcePosition>, want: string[]][] = [
    ['a coin that is not listed', { coin: 'xyz:TSLA' }, ['position xyz:TSLA unlisted']],
    ['one that is off the list', { coin: 'GONE' }, ['position GONE delisted']],
    ['cross margin where there is none', { coin: 'ISO' }, ['position ISO margin_mode']],
    ['less than a lot', { signedSize: '0.009', value: '0.9' }, ['position SOL below_lot']],
    ['9 USD', { signedSize: '0.09', value: '9' }, ['position SOL below_minimum']],
    ['10 USD is enough', { signedSize: '0.1', value: '10' }, []],
    ['more leverage than the coin has', { leverage: 21 }, ['leverage SOL leverage']],
    ['as much as the coin has', { leverage: 20 }, []],
    [
      'more than its tier has',
      { coin: 'TIER', signedSize: '-30000.1', value: '3000010', entryPrice: '100', leverage: 10 },
      ['leverage TIER leverage'],
    ],
    ['as much as its tier has', { coin: 'TIER', signedSize: '-30000', value: '3000000', entryPrice: '100', leverage: 10 }, []],
  ];
  for (const [name, fields, want] of positionCases)
    it(`position: ${name}`, () => {
      const source = command({ accountValue: '1000000', positions: [position(fields)] });
      const report = reportOf(begun().when(source));
      expect(report.left.map(({ kind, coin, reason }) => `${kind} ${coin} ${reason}`)).to.deep.equal(want);
      expect(report.positions).to.have.length(want[0]?.startsWith('position') ? 0 : 1);
    });

  it('a leverage that is not allowed becomes the highest that is', () => {
    const { positions, left } = imported({ positions: [position({ leverage: 50 })] });
    expect(positions[0]?.leverage).to.equal(20);
    expect(left[0]?.text).to.equal('50x is more than is allowed: the position has 20x.');
  });

  const orderCases: [name: string, order: SourceOrder, want: string[]][] = [
    ['a coin that is not listed', order({ coin: 'NOPE' }), ['order NOPE unlisted 7']],
    ['one that is off the list', order({ coin: 'GONE', limitPrice: '0.5', size: '100' }), ['order GONE refused 7']],
    ['less than a lot', order({ size: '0.009' }), ['order SOL below_lot 7']],
    ['9.5 USD', order({ size: '0.1' }), ['order SOL refused 7']],
    ['a buy at the best ask', order({ limitPrice: '100' }), ['order SOL would_trade 7']],
    ['a buy below it', order({ limitPrice: '99.99' }), []],
    ['a sell at the best bid', order({ side: 'sell', limitPrice: '99.9' }), ['order SOL would_trade 7']],
    ['one that never rests', order({ timeInForce: 'never' }), ['order SOL never_rests 7']],
    ['a price off the grid', order({ limitPrice: '95.0001' }), ['order SOL refused 7']],
    ['a price too far away', order({ limitPrice: '1' }), ['order SOL refused 7']],
    ['a stop that has been reached', stop({ trigger: { price: '101', tpsl: 'sl', isMarket: true } }), ['order SOL refused 8']],
    ['a reduce-only order without a position', order({ reduceOnly: true }), ['order SOL refused 7']],
    ['more margin than there is', order({ size: '211' }), ['order SOL refused 7']],
    ['as much margin as there is', order({ size: '210' }), []],
    [
      'a parent takes its children with it',
      order({ limitPrice: '100', children: [stop()] }),
      ['order SOL would_trade 7', 'order SOL would_trade 8'],
    ],
    [
      'children that belong to no such parent',
      order({ children: [stop({ side: 'buy' })] }),
      ['order SOL refused 7', 'order SOL refused 8'],
    ],
  ];
  for (const [name, source, want] of orderCases)
    it(`order: ${name}`, () => expect(leftOf({ accountValue: '1000', orders: [source] })).to.deep.equal(want));

  it('two orders with one client id both come', () =>
    expect(leftOf({ orders: [order({ cloid: CLOID }), order({ oid: 8, cloid: CLOID })] })).to.deep.equal([]));

  it('orders that are refused leave no row; what the sender has left out comes first', () => {
    const left = [{ kind: 'balance', coin: 'HYPE', reason: 'spot', text: 'Spot.' }] as const;
    const scenario = begun().when(command({ orders: [order({ size: '0.1' })], left }));
    expect(scenario.events).to.have.length(1);
    expect(reportOf(scenario).left.map(({ coin }) => coin)).to.deep.equal(['HYPE', 'SOL']);
  });

  it('a dry run says the same and changes nothing; the same import once more is told where it was made', () => {
    const source = command({ positions: [position()], orders: [order(), stop()] });
    const scenario = begun();
    const before = stateHashOf(scenario.account);
    const { orders: dryOrders, ...dry } = reportOf(scenario.when({ ...source, isDryRun: true }));
    expect([scenario.entries.length, stateHashOf(scenario.account)]).to.deep.equal([1, before]);
    const { orders, ...report } = reportOf(scenario.when(source));
    expect(dry).to.deep.equal(report);
    expect(dryOrders.map(([, of]) => of)).to.deep.equal(orders.map(([, of]) => of));
    const after = stateHashOf(scenario.account);
    expect(scenario.when({ ...source, accountValue: '5' }).outcome).to.deep.equal({ type: 'importedBefore', seq: 2 });
    expect([scenario.entries.length, stateHashOf(scenario.account)]).to.deep.equal([2, after]);
  });

  const SOL_BUY = place({ size: '1', limitPrice: '101', tif: 'ioc' });
  const notEmpty: [name: string, scenario: () => Scenario, want: RegExp][] = [
    ['money', () => new Scenario(new FixtureMarket()).given(deposit('10')), /^It has 10\.0 USD/],
    ['another import', () => begun().given(command()), /^It began with another import/],
    ['a position', () => new Scenario(new FixtureMarket()).given(deposit('1000'), SOL_BUY), /^It has positions/],
    [
      'a past of trading',
      () =>
        new Scenario(new FixtureMarket()).given(
          ...[deposit('1000'), SOL_BUY, place({ side: 'sell', size: '1', limitPrice: '99', tif: 'ioc' as const })],
        ),
      /^It has traded/,
    ],
  ];
  for (const [name, scenario, want] of notEmpty)
    it(`an account that has ${name} is refused and stays as it is`, () => {
      const lived = scenario();
      const before = stateHashOf(lived.account);
      const { outcome } = lived.when(command({ scale: '3' }));
      expect(outcome?.type === 'notEmpty' && outcome.text).to.match(want);
      expect(stateHashOf(lived.account)).to.equal(before);
    });

  it('a leverage that was set alone makes no account full; after a reset it can begin again', () => {
    const scenario = begun()
      .given(leverage(2, 3))
      .when(command({ positions: [position()] }));
    expect(scenario.account.leverage.get(2)?.leverage).to.equal(20);
    scenario.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '0' });
    expect(scenario.account.imported).to.equal(undefined);
    expect(reportOf(scenario.when(command())).usd).to.equal('1000');
  });

  const values: [accountValue: string, scale: string, want: string][] = [
    ['0', '1', 'refused'],
    ['-5', '1', 'refused'],
    ['0.000001', '1', 'imported'],
    ['0.000001', '0.9', 'refused'],
    ['1000000000', '1', 'imported'],
    ['1000000000.000001', '1', 'refused'],
    ['1000000.000001', '1000', 'refused'],
  ];
  for (const [value, scale, want] of values)
    it(`an account value of ${value} times ${scale}: ${want}`, () =>
      expect(begun().when(command({ accountValue: value, scale })).outcome?.type).to.equal(want));

  it('the imported position lives on: it is owed funding from now on, fills at its entry price, and dies at its mark', () => {
    const scenario = begun().given(command({ accountValue: '100', positions: [position()] }));
    scenario.when(place({ side: 'sell', size: '4', limitPrice: '99', tif: 'ioc' }));
    expect(scenario.events[0], '4 * (99.9 - 90)').to.include({ type: 'orderFilled', closedPnl: '39.6', startPosition: '10' });
    scenario.given(mark('SOL', '80'));
    expect(scenario.events.map(({ type }) => type)).to.include('liquidated');
  });

  for (const [name, entryPrice, accountValue, markOfDrawdown] of [
    ['lost 400', '140', '600', '94'],
    ['gained 400', '60', '1400', '86'],
  ] as const)
    it(`a position that has ${name} before: what is lost from now on counts for house rules, and nothing of before`, () => {
      const rules = { dailyLoss: { usd: '50', act: 'refuse' }, drawdown: { percent: '10', act: 'refuse' } } as const;
      const scenario = begun().given({ type: 'setHouseRules', rules });
      scenario.given(command({ accountValue, positions: [position({ entryPrice })] }));
      expect(scenario.account.totals.netDepositsUsd.toString()).to.equal('1000');
      expect(scenario.account.dayStart?.resultUsd.plus(1000).toString(), 'gained by then').to.equal(accountValue);
      scenario.given(mark('SOL', '95.01'));
      expect(scenario.account.house?.breaches).to.deep.equal([]);
      scenario.when(mark('SOL', '95')).thenEvents({ type: 'houseRuleBroken', rule: 'dailyLoss', found: '50' });
      scenario.given(mark('SOL', new Decimal(markOfDrawdown).plus('0.01').toString()));
      expect(scenario.account.house?.breaches).to.have.length(1);
      scenario.when(mark('SOL', markOfDrawdown)).thenEvents({ type: 'houseRuleBroken', rule: 'drawdown', found: '10' });
    });

  it('what the house rules would let no order open is left out, in their words; under a warning it is taken and noted', () => {
    const what = { positions: [position(), position({ coin: 'ISO', marginMode: 'isolated', leverage: 5, rawUsd: '500' })] };
    const under = (act: 'warn' | 'refuse') =>
      begun().given(
        { type: 'setHouseRules', rules: { coins: { only: ['ISO'], act } } },
        command({ ...what, accountValue: '2000', orders: [order()] }),
      );
    const refused = under('refuse');
    const text = 'House rule of this account: SOL is none of its coins, ISO. Only reduce-only orders. asset=2';
    expect(reportOf(refused).left).to.deep.equal([
      { kind: 'position', coin: 'SOL', reason: 'refused', text },
      { kind: 'order', coin: 'SOL', oid: 7, reason: 'refused', text },
    ]);
    expect([...refused.account.positions.values()].map(({ coin }) => coin)).to.deep.equal(['ISO']);
    const warned = under('warn');
    expect(reportOf(warned).left).to.deep.equal([]);
    expect(warned.account.house?.breaches.map(({ rule, coin }) => [rule, coin])).to.deep.equal([['coins', 'SOL']]);
  });

  it('an isolated margin that the account value does not cover is left out; what it covers by a cent more is taken', () => {
    // 10 at 50, with 400 of margin; a cross position that has gained 100.
    const isolated = position({
      coin: 'ISO',
      entryPrice: '50',
      value: '500',
      marginMode: 'isolated',
      leverage: 2,
      rawUsd: '-100',
    });
    const begin = (value: string) =>
      begun().given(
        command({ scale: '0.5', accountValue: value, positions: [position(), isolated, { ...isolated, coin: 'TIER' }] }),
      );
    const of = (scenario: Scenario) => ({
      coins: [...scenario.account.positions.values()].map(({ coin }) => coin),
      left: reportOf(scenario).left.map(({ coin, reason }) => `${coin} ${reason}`),
      value: accountValue(scenario.account, scenario.market).toString(),
    });
    const text = 'The account value does not cover its isolated margin.';
    expect(of(begin('450'))).to.deep.equal({ coins: ['SOL', 'ISO'], left: ['TIER refused'], value: '225' });
    expect(of(begin('399.98'))).to.deep.equal({ coins: ['SOL'], left: ['ISO refused', 'TIER refused'], value: '199.99' });
    expect(reportOf(begin('399.98')).left[0]?.text).to.equal(text);
    expect(of(begin('850')).coins).to.deep.equal(['SOL', 'ISO', 'TIER']);
    const { coins, value } = of(begin('399.99'));
    expect([coins, value], 'nothing is left for SOL, which is liquidated').to.deep.equal([['ISO'], '200']);
  });

  it('whatever the address has: no throw, the account value of the address, and a journal that folds to the same', () => {
    const coins = ['BTC', 'ETH', 'SOL', 'ISO', 'TIER', 'GONE', 'CHEAP', 'NOPE', '@1', '__proto__'];
    const number = fc.tuple(fc.nat(99_999), fc.nat(99)).map(([whole, part]) => `${whole}.${part}`);
    const anyPosition = fc.record({
      ...{ coin: fc.constantFrom(...coins), entryPrice: number.map((text) => `1${text}`), value: number, rawUsd: number },
      signedSize: fc.tuple(fc.boolean(), number).map(([isShort, size]) => `${isShort ? '-' : ''}1${size}`),
      ...{ marginMode: fc.constantFrom('cross' as const, 'isolated' as const), leverage: fc.integer({ min: 1, max: 1000 }) },
    });
    const anyOrder = fc.record({
      ...{ oid: fc.nat(), coin: fc.constantFrom(...coins), side: fc.constantFrom('buy' as const, 'sell' as const) },
      ...{ limitPrice: number, size: number, reduceOnly: fc.boolean() },
      timeInForce: fc.constantFrom('gtc' as const, 'alo' as const, 'never' as const),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(anyPosition, { selector: ({ coin }) => coin, maxLength: 8 }),
        fc.array(anyOrder, { maxLength: 8 }),
        fc.constantFrom('1', '0.001', '999.99999999'),
        (positions, orders, scale) => {
          const { outcome, account, entries } = begun().when(command({ accountValue: '1000000', scale, positions, orders }));
          if (outcome?.type !== 'imported') throw new Error(JSON.stringify(outcome));
          const entry = entries.at(-1);
          if (entry === undefined) throw new Error('no entry');
          const first = entries[0];
          if (first === undefined) throw new Error('no first entry');
          const folded = [first, readEntry(writeEntry(entry, NEWEST_FORMAT))].reduce(applyEntry, emptyAccount(account.id));
          expect(stateHashOf(folded)).to.equal(stateHashOf(account));
          expect(stateHashOf(fromSnapshot(toSnapshot(account, NEWEST_FORMAT)))).to.equal(stateHashOf(account));
          const only = applyEntry(applyEntry(emptyAccount(account.id), first), { ...entry, events: entry.events.slice(0, 1) });
          expect(balanceOf(only).toString()).to.equal(outcome.report.usd);
        },
      ),
      { numRuns: 100 },
    );
  });
});
