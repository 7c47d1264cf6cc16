// `userNonFundingLedgerUpdates`: money that came and went other than by trading and funding, ascending, from the
// first deposit on.

import { Type } from '@sinclair/typebox';
import type { LedgerRow } from '../../../actors/core/messages/historyRows.ts';
import { unreachable } from '../../../shared/domain/assert.ts';
import { Address, type AnswerFor, CoinName, EpochMs, exactly, Hash, WireDecimal, words } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { QUESTION_OF_ROWS } from '../../domain/requestPrice.ts';
import { wireNumber, ZERO_HASH } from '../../domain/wireText.ts';
import { absentOr, TimeMs } from '../../http/requestReader.ts';
import { accountType } from '../infoType.ts';
import { ascendingRows } from './accountRows.ts';

const ROWS_MAX = 500;

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
    const page = { startMs: startTime, endMs: endTime, limit: ROWS_MAX };
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
