// `userNonFundingLedgerUpdates`: money that came and went other than by trading and funding, ascending, from the first
// deposit on.
import type { LedgerRow } from '../../actors/domain/history.ts';
import { absentOr, TimeMs } from '../requestReader.ts';
import { wireNumber, ZERO_HASH } from '../wireText.ts';
import { rowsBetween } from './accountRows.ts';
import { accountType } from './infoType.ts';

const ROWS_MAX = 500;

export const userNonFundingLedgerUpdates = accountType(
  'userNonFundingLedgerUpdates',
  { startTime: absentOr(TimeMs), endTime: absentOr(TimeMs) },
  async ({ startTime, endTime }, call, services) => {
    const range = { startMs: startTime ?? 0, endMs: endTime ?? services.now(), limit: ROWS_MAX };
    return (await rowsBetween(call, services, { kind: 'ledger', ...range })).map(toWireUpdate);
  },
);

/** The sign is in the type, so `usdc` has none. */
export const toWireUpdate = (row: LedgerRow) => {
  const usdc = wireNumber(row.usd.replace(/^-/, ''));
  const delta = row.kind === 'deposit' ? { type: 'deposit', usdc } : { type: 'withdraw', usdc, nonce: row.timeMs, fee: '0.0' };
  return { time: row.timeMs, hash: ZERO_HASH, delta };
};
