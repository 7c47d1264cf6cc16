import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, emptyAccount } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { owedHours } from '../../../src/actors/core/account/fundingAccrual.ts';
import { nextSliceMs } from '../../../src/actors/core/account/twap.ts';
import { rowsOf } from '../../../src/actors/core/history/rowsOfEvents.ts';
import { balanceOf } from '../../../src/actors/core/margin/margin.ts';
import type { AccountCommand, OwnersCommand } from '../../../src/actors/core/messages/command.ts';
import { readEntry, writeEntry } from '../../../src/actors/core/messages/entry.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { randomLife, toSteps } from '../../proof/randomSteps.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { book, deposit, leverage, type MarketMove, mark, place, Scenario, stop, wait } from '../../support/scenario.ts';

const SOURCE = `0x${'cd'.repeat(20)}`;
const HOUR_MS = 3_600_000;

/** The command of a fork of this state. */
function forkOf(account: Account): Extract<AccountCommand, { type: 'beginFork' }> {
  const source = { ...account, id: SOURCE };
  const state = JSON.parse(toSnapshot(source, NEWEST_FORMAT));
  return { type: 'beginFork', of: SOURCE, seq: source.seq, hash: stateHashOf(source), state };
}

describe('beginFork: a sub-account goes on with the state of an entry', () => {
  it('of any life: money, positions, orders and settings are those of the entry, and its journal folds to the same', () =>
    fc.assert(
      fc.property(randomLife, (life) => {
        const lived = new Scenario(new FixtureMarket()).given(deposit('10000'));
        for (const step of life) lived.given(...toSteps(step, lived));
        const command = forkOf(lived.account);
        const before = fromSnapshot(JSON.stringify(command.state));
        const fork = new Scenario(lived.market).when(command);
        const [entry] = fork.entries;
        if (entry === undefined) throw new Error('the fork has no entry');
        const [forked] = entry.events;
        expect(forked).to.include({ type: 'forked', of: SOURCE, seq: before.seq, hash: stateHashOf(before) });
        // The fork leads to a liquidation at once. The comparison leaves the liquidation out, because it comes after the fork.
        const begun = applyEntry(emptyAccount(fork.account.id), { ...entry, events: entry.events.slice(0, 1) });
        expect(begun.cash.eq(before.cash)).to.equal(true);
        expect(toSnapshot({ ...begun, orders: before.orders }, NEWEST_FORMAT)).to.include('"fork":');
        for (const field of ['leverage', 'triggers'] as const)
          expect(stateHashOf({ own: begun[field] }), field).to.equal(stateHashOf({ own: before[field] }));
        // Their round trips began before the fork's own history.
        const fromBefore = [...before.positions].map(
          ([asset, one]) => [asset, { ...one, trip: { ...one.trip, openedSeq: 0 } }] as const,
        );
        expect(stateHashOf({ own: begun.positions }), 'positions').to.equal(stateHashOf({ own: new Map(fromBefore) }));
        const shown = ({ orders }: Account) => [...orders.values()].map(({ resting: _, ...order }) => order);
        expect(shown(begun)).to.deep.equal(shown(before));
        const { netDepositsUsd, realizedPnlUsd, feesUsd, fundingUsd } = begun.totals;
        expect(netDepositsUsd.plus(realizedPnlUsd).minus(feesUsd).plus(fundingUsd).eq(balanceOf(begun))).to.equal(true);
        const folded = applyEntry(emptyAccount(fork.account.id), readEntry(writeEntry(entry, NEWEST_FORMAT)));
        expect(stateHashOf(folded)).to.equal(stateHashOf(fork.account));
        expect(stateHashOf(fromSnapshot(toSnapshot(fork.account, NEWEST_FORMAT)))).to.equal(stateHashOf(fork.account));
        expect(rowsOf(entry).find(({ kind }) => kind === 'ledger')?.row).to.include({ usd: balanceOf(before).toString() });
      }),
      { numRuns: 25 },
    ));

  const lived = () =>
    new Scenario(new FixtureMarket()).given(
      deposit('10000'),
      leverage(2, 5),
      place({ size: '10', limitPrice: '101', tif: 'ioc' }),
      place({ size: '2', limitPrice: '95' }),
    );

  it('what is due moves by the time between the entry and the fork; hours in between owe no funding', () => {
    const source = lived().given({
      ...{ type: 'startTwap', asset: 2, side: 'buy', size: '11', minutes: 5, reduceOnly: false, randomize: false },
    });
    source.given({ type: 'scheduleCancel', dueMs: source.market.nowMs + 60_000 });
    const { account } = source;
    const command = forkOf(account);
    const [dueMs, sliceMs] = [account.scheduledCancel.dueMs ?? 0, [...account.twaps.values()].map(nextSliceMs)];
    source.market.nowMs += 50 * HOUR_MS;
    const fork = new Scenario(source.market).when(command).account;
    const passedMs = fork.timeMs - account.timeMs;
    expect(passedMs).to.equal(50 * HOUR_MS);
    expect(fork.scheduledCancel.dueMs).to.equal(dueMs + passedMs);
    expect([...fork.twaps.values()].map(nextSliceMs)).to.deep.equal(sliceMs.map((ms) => ms + passedMs));
    expect(owedHours(account, 2, fork.timeMs).length).to.equal(1);
    expect(owedHours(fork, 2, Math.floor(fork.timeMs / HOUR_MS) * HOUR_MS)).to.deep.equal([]);
    const [hours] = owedHours(fork, 2, fork.timeMs + HOUR_MS);
    expect(hours?.signedSize.toString()).to.equal(account.positions.get(2)?.signedSize.toString());
  });

  it('orders keep their ids and stand at the end of the queue of the book as it is now', () => {
    const source = lived();
    const [order] = source.account.orders.values();
    const command = forkOf(source.account);
    const fork = new Scenario(source.market).when(command);
    const [own] = fork.account.orders.values();
    expect(own).to.include({ oid: order?.oid, limitPrice: '95' });
    expect(own?.resting.acceptedTick).to.equal(source.market.tick);
    fork.when({ type: 'cancelOrders', cancels: [{ asset: 2, target: { oid: order?.oid ?? 0 } }] }).thenOpen();
    fork.when(place({ side: 'sell', size: '10', limitPrice: '98', tif: 'ioc' })).thenPosition('SOL', '0');
  });

  it('what a failure lab holds at the source is held no more, and a trigger fires without its script', () => {
    const script = { fillPercent: 0, holdMs: null } as const;
    const inLab = (command: AccountCommand): AccountCommand => {
      const note = { key: 'key_1', on: 'exchange', number: 1, atMs: 1, draw: 0.5 } as const;
      return { type: 'inLab', note, command: command as OwnersCommand };
    };
    const source = lived().given(
      inLab(place({ size: '2', limitPrice: '101', script })),
      inLab(place({ ...stop('97', { size: '4' }), script })),
    );
    source.thenPosition('SOL', '10').thenOpen('buy 2 @ 95', 'buy 2 @ 101');
    const fork = new Scenario(source.market).when(forkOf(source.account));
    const move = (step: MarketMove) => {
      const change = step(source.market);
      for (const one of [source, fork]) one.when(() => change);
    };
    source.market.advance(10);
    move(book('SOL', [['99.9', '50']], [['100', '50']])); // biome-ignore format: one line reads as a book
    source.thenPosition('SOL', '10');
    fork.thenPosition('SOL', '12');
    move(mark('SOL', '96'));
    source.thenPosition('SOL', '10');
    fork.thenPosition('SOL', '8');
    expect([...fork.account.triggers.keys(), ...source.account.triggers.keys()]).to.deep.equal([]);
  });

  it('repeated it changes nothing; a state that is not that of the hash, or an account that has begun, is refused', () => {
    const command = forkOf(lived().account);
    const fork = new Scenario(new FixtureMarket()).when(command);
    const hash = stateHashOf(fork.account);
    fork.when(command).thenEvents();
    expect(fork.outcome).to.deep.equal({ type: 'done' });
    expect(stateHashOf(fork.account)).to.equal(hash);
    const cases: [string, object][] = [
      ['another balance', { state: { ...command.state, cash: '999999' } }],
      ['another entry', { seq: command.seq + 1 }],
      ['another account', { of: `0x${'ee'.repeat(20)}` }],
      ['another hash', { hash: `h2:${'0'.repeat(64)}` }],
    ];
    for (const [name, fields] of cases) {
      const other = new Scenario(new FixtureMarket()).when({ ...command, ...fields });
      expect([other.account.seq, other.outcome], name).to.deep.equal([
        0,
        { type: 'refused', text: 'The state is not that of the entry.' },
      ]);
    }
    const open = new Scenario(new FixtureMarket()).given(deposit('5')).when(command);
    expect(open.outcome).to.deep.equal({ type: 'refused', text: 'The account has begun already.' });
    // A reset ends the fork, and the same command does not bring it back.
    fork.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '0' }, wait(1));
    expect(fork.account.fork).to.equal(undefined);
    expect(fork.when(command).outcome).to.deep.equal({ type: 'refused', text: 'The account has begun already.' });
  });
});
