// `userNonFundingLedgerUpdates`: money that came and went other than by trading and funding, ascending, from the first
// deposit on.
import type { LedgerRow } from '../../actors/domain/history.ts';
import { absentOr, TimeMs } from '../requestReader.ts';
import { wireNumber, ZERO_HASH } from '../wireText.ts';
import { ascendingRows } from './accountRows.ts';
import { accountType } from './infoType.ts';

const ROWS_MAX = 500;

export const userNonFundingLedgerUpdates = accountType(
  'userNonFundingLedgerUpdates',
  {
    /** Absent or `null` = the newest rows. */
    startTime: absentOr(TimeMs),
    /** Absent or `null` = now. */
    endTime: absentOr(TimeMs),
  },
  async ({ startTime, endTime }, call, services) => {
    const page = { startMs: startTime, endMs: endTime, limit: ROWS_MAX };
    return (await ascendingRows(call, services, { kind: 'ledger', ...page })).map(toWireUpdate);
  },
);

/** The sign is in the type, so `usdc` has none. */
export const toWireUpdate = (row: LedgerRow) => {
  const usdc = wireNumber(row.usd.replace(/^-/, ''));
  const delta = row.kind === 'deposit' ? { type: 'deposit', usdc } : { type: 'withdraw', usdc, nonce: row.timeMs, fee: '0.0' };
  return { time: row.timeMs, hash: ZERO_HASH, delta };
};
