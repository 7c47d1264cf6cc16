// Money that is no trade. `userFunding` has the funding payments, ascending; negative = paid by the account.
// `userNonFundingLedgerUpdates` has the other money that came and went, ascending, from the first deposit on.
import { Type } from '@sinclair/typebox';
import type { FundingRow, LedgerRow } from '../../actors/core/messages/historyRows.ts';
import { unreachable } from '../../shared/domain/assert.ts';
import {
  Address,
  type AnswerFor,
  CoinName,
  Count,
  EpochMs,
  exactly,
  Hash,
  orNull,
  WireDecimal,
  words,
} from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { QUESTION_OF_ROWS } from '../domain/requestPrice.ts';
import { wireNumber, ZERO_HASH } from '../domain/wireText.ts';
import { absentOr, TimeMs } from '../http/requestReader.ts';
import { ascendingRows } from './accountRows.ts';
import { accountType } from './infoType.ts';

const ROWS_MAX = 500;

const paymentFields = {
  coin: CoinName,
  usdc: described(WireDecimal, 'USD; negative = paid by the account.'),
  szi: WireDecimal,
  fundingRate: WireDecimal,
  nSamples: described(orNull(Count), 'Hours settled; null where each is settled by itself.'),
};

/** As the stream tells a payment. */
export const FlatPayment = named('FlatFundingPayment', exactly({ time: EpochMs, ...paymentFields }));

export const userFunding = accountType(
  'userFunding',
  {
    about: 'Settled funding payments, oldest first, at most 500.',
    price: QUESTION_OF_ROWS,
    fields: {
      startTime: described(absentOr(TimeMs), 'Absent or `null` = the newest rows.'),
      endTime: described(absentOr(TimeMs), 'Absent or `null` = now.'),
    },
    answers: Type.Array(
      named(
        'FundingPayment',
        exactly({
          time: EpochMs,
          hash: Hash,
          delta: named('FundingDelta', exactly({ type: Type.Literal('funding'), ...paymentFields })),
        }),
      ),
    ),
  },
  async ({ startTime, endTime }, call, services) => {
    const page = { startMs: startTime, endMs: endTime, limit: ROWS_MAX };
    const settlesHourly = services.config.FUNDING_SETTLE_HOURS === 1;
    const rows = await ascendingRows(call, services, { kind: 'funding', ...page });
    return rows.map((row) => toWirePayment(row, { settlesHourly }));
  },
);

/** `nSamples` is the number of hours in the payment; `null` where every hour is paid by itself, as at the venue. */
export const toWirePayment = (row: FundingRow, { settlesHourly }: { readonly settlesHourly: boolean }) => ({
  time: row.timeMs,
  hash: ZERO_HASH,
  delta: {
    type: 'funding' as const,
    coin: row.coin,
    usdc: wireNumber(row.usd),
    szi: wireNumber(row.signedSize),
    fundingRate: wireNumber(row.fundingRate),
    nSamples: settlesHourly ? null : row.hours,
  },
});

const UPDATES_MAX = 500;

const Delta = Type.Union([
  named('DepositDelta', exactly({ type: Type.Literal('deposit'), usdc: WireDecimal })),
  named(
    'SubAccountTransferDelta',
    exactly({ type: Type.Literal('subAccountTransfer'), usdc: WireDecimal, user: Address, destination: Address }),
  ),
  named('WithdrawalDelta', exactly({ type: Type.Literal('withdraw'), usdc: WireDecimal, nonce: EpochMs, fee: WireDecimal })),
  named(
    'LiquidationDelta',
    exactly({
      type: Type.Literal('liquidation'),
      liquidatedNtlPos: WireDecimal,
      accountValue: WireDecimal,
      leverageType: named('LeverageType', words('Cross', 'Isolated')),
      liquidatedPositions: Type.Array(named('LiquidatedPosition', exactly({ coin: CoinName, szi: WireDecimal }))),
    }),
  ),
]);

export const userNonFundingLedgerUpdates = accountType(
  'userNonFundingLedgerUpdates',
  {
    about: 'Money that came and went other than by trading and funding, oldest first, at most 500.',
    price: QUESTION_OF_ROWS,
    fields: {
      startTime: described(absentOr(TimeMs), 'Absent or `null` = the newest rows.'),
      endTime: described(absentOr(TimeMs), 'Absent or `null` = now.'),
    },
    answers: Type.Array(named('LedgerUpdate', exactly({ time: EpochMs, hash: Hash, delta: Delta }))),
  },
  async ({ startTime, endTime }, call, services) => {
    const page = { startMs: startTime, endMs: endTime, limit: UPDATES_MAX };
    return (await ascendingRows(call, services, { kind: 'ledger', ...page })).map((row) =>
      toWireUpdate(row, call.caller.accountId),
    );
  },
);

/** @param accountId whose row it is */
export const toWireUpdate = (row: LedgerRow, accountId: string) => ({
  time: row.timeMs,
  hash: ZERO_HASH,
  delta: toDelta(row, accountId),
});

/** The sign of a transfer is in its type, so `usdc` has none. */
function toDelta(row: LedgerRow, accountId: string): AnswerFor<typeof Delta> {
  switch (row.kind) {
    case 'deposit':
      return { type: 'deposit', usdc: wireNumber(row.usd) };
    case 'withdraw':
      return { type: 'withdraw', usdc: wireNumber(row.usd.replace(/^-/, '')), nonce: row.timeMs, fee: '0.0' };
    case 'transfer': {
      const isOut = row.usd.startsWith('-');
      const [user, destination] = isOut ? [accountId, row.with] : [row.with, accountId];
      return { type: 'subAccountTransfer', usdc: wireNumber(row.usd.replace(/^-/, '')), user, destination };
    }
    case 'liquidation':
      return {
        type: 'liquidation',
        liquidatedNtlPos: wireNumber(row.notional),
        accountValue: wireNumber(row.accountValue),
        leverageType: row.marginMode === 'cross' ? 'Cross' : 'Isolated',
        liquidatedPositions: row.positions.map(({ coin, signedSize }) => ({ coin, szi: wireNumber(signedSize) })),
      };
    default:
      return unreachable(row);
  }
}
