// The figures of all accounts of a user together, as exact decimals. Each account answers from one state of its own, and those states are
// of different moments: between them money may be on its way. A transfer from A to B is in A's balance until A's state has it as sent,
// and in B's from the state on that has it as received. So for each pair, what A has ever sent to B less what B has ever received from A is
// exactly what is in neither balance (> 0: under way) or, where B was asked later than A, in both (< 0). Adding it to the
// balances counts every USD once, whenever the accounts were asked: a transfer changes no total.
import { type Decimal, toWire, ZERO } from '../../shared/domain/decimal.ts';

/** The figures that are added up, USD as decimal text. */
const SUMMED = ['accountValue', 'balance', 'unrealizedPnl', 'marginUsed', 'withdrawable'] as const;
type Summed = (typeof SUMMED)[number];

/** One account as one state of it says. */
export type GroupMember = Readonly<Record<Summed, string>> & {
  readonly openPositions: number;
  readonly openOrders: number;
  /** What an account that began as a fork began with, USD. */
  readonly forkedUsd?: string | undefined;
  /** What an account that began as an import began with, USD. */
  readonly importedUsd?: string | undefined;
  readonly transfers: readonly {
    /** Address of the other account. */
    readonly account: string;
    /** Sums over the life of both, USD. */
    readonly sentUsd: string;
    readonly receivedUsd: string;
  }[];
};

export type GroupTotals = Readonly<Record<Summed, string>> & {
  /** USD that no account's balance has, or < 0, that two have: sent less received, over all pairs. */
  readonly underWayUsd: string;
  /** USD that forks began with, which no account has lost. */
  readonly forkedUsd: string;
  /** The same of imports. */
  readonly importedUsd: string;
  readonly openPositions: number;
  readonly openOrders: number;
};

/** `accountValue` and `balance` have what is under way. What may be withdrawn, and margin, have not: it is nowhere yet. */
export function groupTotals(members: readonly GroupMember[]): GroupTotals {
  const underWay = members.reduce(
    (sum, { transfers }) => transfers.reduce((all, { sentUsd, receivedUsd }) => all.plus(sentUsd).minus(receivedUsd), sum),
    ZERO,
  );
  const sumOf = (field: Summed, first: Decimal = ZERO): string =>
    toWire(members.reduce((sum, member) => sum.plus(member[field]), first));
  const countOf = (field: 'openPositions' | 'openOrders'): number => members.reduce((sum, member) => sum + member[field], 0);
  return {
    accountValue: sumOf('accountValue', underWay),
    balance: sumOf('balance', underWay),
    unrealizedPnl: sumOf('unrealizedPnl'),
    marginUsed: sumOf('marginUsed'),
    withdrawable: sumOf('withdrawable'),
    underWayUsd: toWire(underWay),
    importedUsd: toWire(members.reduce((sum, { importedUsd = '0' }) => sum.plus(importedUsd), ZERO)),
    forkedUsd: toWire(members.reduce((sum, { forkedUsd = '0' }) => sum.plus(forkedUsd), ZERO)),
    openPositions: countOf('openPositions'),
    openOrders: countOf('openOrders'),
  };
}
