import { expect } from 'chai';
import fc from 'fast-check';
import { type GroupMember, groupTotals } from '../../../src/api/domain/groupTotals.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';

/** An account whose history is a list of steps, so that it can be asked at any of them. */
interface Step {
  readonly kind: 'sent' | 'received' | 'earned';
  readonly other: number;
  readonly usd: Decimal;
}

const ACCOUNTS = 4;
const nameOf = (account: number): string => `0x${account}`;
const zeros = { unrealizedPnl: '0', marginUsed: '0', withdrawable: '0', openPositions: 0, openOrders: 0 };

/** The account after its first steps. */
function stateOf(steps: readonly Step[], opening: Decimal): GroupMember {
  let balance = opening;
  const sums = new Map<number, { sent: Decimal; received: Decimal }>();
  for (const { kind, other, usd } of steps) {
    balance = kind === 'sent' ? balance.minus(usd) : balance.plus(usd);
    if (kind === 'earned') continue;
    const { sent, received } = sums.get(other) ?? { sent: new Decimal(0), received: new Decimal(0) };
    sums.set(other, kind === 'sent' ? { sent: sent.plus(usd), received } : { sent, received: received.plus(usd) });
  }
  const transfers = [...sums].map(([other, { sent, received }]) => ({
    ...{ account: nameOf(other), sentUsd: sent.toString(), receivedUsd: received.toString() },
  }));
  return { ...zeros, accountValue: balance.toString(), balance: balance.toString(), transfers };
}

const micro = fc.integer({ min: 1, max: 10 ** 12 }).map((n) => new Decimal(n).div(1_000_000));
const account = fc.integer({ min: 0, max: ACCOUNTS - 1 });
const transfer = fc.record({ from: account, to: account, usd: micro }).filter(({ from, to }) => from !== to);

describe('groupTotals: what all accounts of a user have', () => {
  it('is the same whatever transfers happen, and at whatever moment each account is asked', () => {
    const histories = fc.record({
      openings: fc.array(micro, { minLength: ACCOUNTS, maxLength: ACCOUNTS }),
      transfers: fc.array(transfer, { maxLength: 12 }),
      arrivals: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
      moments: fc.array(fc.nat(), { minLength: ACCOUNTS, maxLength: ACCOUNTS }),
    });
    fc.assert(
      fc.property(histories, ({ openings, transfers, arrivals, moments }) => {
        const steps: Step[][] = openings.map(() => []);
        for (const { from, to, usd } of transfers) steps[from]?.push({ kind: 'sent', other: to, usd });
        // Each arrives somewhere among what its receiver does, in any order.
        for (const [n, { from, to, usd }] of transfers.entries()) {
          const own = steps[to] as Step[];
          own.splice((arrivals[n] ?? 0) % (own.length + 1), 0, { kind: 'received', other: from, usd });
        }
        const members = steps.map((own, n) =>
          stateOf(own.slice(0, (moments[n] ?? 0) % (own.length + 1)), openings[n] as Decimal),
        );
        const { balance, accountValue } = groupTotals(members);
        const all = openings.reduce((sum, usd) => sum.plus(usd), new Decimal(0));
        expect(new Decimal(balance).eq(all)).to.equal(true);
        expect(new Decimal(accountValue).eq(all)).to.equal(true);
      }),
    );
  });

  it('money that has left and not arrived is under way; money that two accounts show is counted once', () => {
    const sent = [{ kind: 'sent', other: 1, usd: new Decimal('0.000001') }] as const;
    const received = [{ kind: 'received', other: 0, usd: new Decimal('0.000001') }] as const;
    const [before, after] = [stateOf([], new Decimal(5)), stateOf(sent, new Decimal(5))];
    const [without, withIt] = [stateOf([], new Decimal(7)), stateOf(received, new Decimal(7))];
    const told = (members: readonly GroupMember[]) =>
      [groupTotals(members).balance, groupTotals(members).underWayUsd].map(Number);
    expect(told([before, without])).to.deep.equal([12, 0]);
    expect(told([after, without])).to.deep.equal([12, 0.000001]);
    expect(told([after, withIt])).to.deep.equal([12, 0]);
    expect(told([before, withIt])).to.deep.equal([12, -0.000001]);
  });

  it('what is earned changes it by that much; margins, positions and orders are added up', () => {
    const one = {
      ...stateOf([{ kind: 'earned', other: 0, usd: new Decimal('0.1') }], new Decimal('0.2')),
      openPositions: 2,
      openOrders: 1,
    };
    const other = {
      ...stateOf([], new Decimal(1)),
      marginUsed: '3.5',
      withdrawable: '0.25',
      unrealizedPnl: '-1',
      openPositions: 1,
      forkedUsd: '25.5',
    };
    expect(groupTotals([one, other])).to.deep.equal({
      ...{
        accountValue: '1.3',
        balance: '1.3',
        unrealizedPnl: '-1.0',
        marginUsed: '3.5',
        withdrawable: '0.25',
        underWayUsd: '0.0',
        forkedUsd: '25.5',
        importedUsd: '0.0',
      },
      ...{ openPositions: 3, openOrders: 1 },
    });
  });
});
