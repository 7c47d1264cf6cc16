// `userFunding`: funding payments, ascending; negative = paid by the account.

import { Type } from '@sinclair/typebox';
import type { FundingRow } from '../../../actors/core/messages/historyRows.ts';
import { CoinName, Count, EpochMs, exactly, Hash, orNull, WireDecimal } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { QUESTION_OF_ROWS } from '../../domain/requestPrice.ts';
import { wireNumber, ZERO_HASH } from '../../domain/wireText.ts';
import { absentOr, TimeMs } from '../../http/requestReader.ts';
import { accountType } from '../infoType.ts';
import { ascendingRows } from './accountRows.ts';

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
