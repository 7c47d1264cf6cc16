// `userFunding`: settled funding payments, ascending; negative = paid by the account.
import type { FundingRow } from '../../actors/domain/history.ts';
import { absentOr, TimeMs } from '../requestReader.ts';
import { wireNumber, ZERO_HASH } from '../wireText.ts';
import { ascendingRows } from './accountRows.ts';
import { accountType } from './infoType.ts';

const ROWS_MAX = 500;

export const userFunding = accountType(
  'userFunding',
  {
    /** Absent or `null` = the newest rows. */
    startTime: absentOr(TimeMs),
    /** Absent or `null` = now. */
    endTime: absentOr(TimeMs),
  },
  async ({ startTime, endTime }, call, services) => {
    const page = { startMs: startTime, endMs: endTime, limit: ROWS_MAX };
    return (await ascendingRows(call, services, { kind: 'funding', ...page })).map(toWirePayment);
  },
);

/** `nSamples` is the number of hours settled, `null` when it is one, as the venue has it. */
export const toWirePayment = (row: FundingRow) => ({
  time: row.timeMs,
  hash: ZERO_HASH,
  delta: {
    type: 'funding',
    coin: row.coin,
    usdc: wireNumber(row.usd),
    szi: wireNumber(row.signedSize),
    fundingRate: wireNumber(row.fundingRate),
    nSamples: row.hours === 1 ? null : row.hours,
  },
});
