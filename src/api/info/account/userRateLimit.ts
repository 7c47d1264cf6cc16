// `userRateLimit`: the address limit as the venue counts it (10,000 and one per USDC traded), and beside it the end
// of the window of the API key's own limit.

import { requestCount } from '../../../actors/core/account/limits.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import { Count, EpochMs, exactly, WireDecimal } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { wireNumber } from '../../domain/wireText.ts';
import { accountType } from '../infoType.ts';

const CONTRACT = {
  about: 'The address limit as the venue counts it, and when the window of the API key’s own limit ends.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: named(
    'UserRateLimit',
    exactly({
      cumVlm: described(WireDecimal, 'Traded since ever, USD.'),
      nRequestsUsed: described(Count, 'Sent, less those that were paid for (`reserveRequestWeight`).'),
      nRequestsCap: described(Count, '10,000 and one for each USD traded.'),
      nRequestsSurplus: described(Count, 'Paid for and not sent yet.'),
      rateLimitResetTime: EpochMs,
    }),
  ),
};

export const userRateLimit = accountType('userRateLimit', CONTRACT, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  const { requestsUsed, requestsReserved = 0 } = summary;
  const count = requestCount({ requestsUsed, requestsReserved, volumeUsd: new Decimal(summary.volumeUsd) });
  return {
    cumVlm: wireNumber(summary.volumeUsd),
    nRequestsUsed: count.used,
    nRequestsCap: count.cap,
    nRequestsSurplus: count.surplus,
    rateLimitResetTime: Math.ceil(services.limits.usage(call).resetMs),
  };
});
