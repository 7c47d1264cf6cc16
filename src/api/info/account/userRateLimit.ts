// `userRateLimit`: the address limit as the venue counts it (10,000 and one per USDC traded), and beside it the end
// of the window of the API key's own limit.
import { Decimal } from '../../../shared/domain/decimal.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import { Count, EpochMs, exactly, WireDecimal } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { wireNumber } from '../../http/wireText.ts';
import { accountType } from '../infoType.ts';

/** Requests an address may send before it has traded anything. */
const REQUESTS_INITIAL = 10_000;

const CONTRACT = {
  about: 'The address limit as the venue counts it, and when the window of the API key’s own limit ends.',
  fields: {},
  answers: named(
    'UserRateLimit',
    exactly({
      cumVlm: described(WireDecimal, 'Traded since ever, USD.'),
      nRequestsUsed: Count,
      nRequestsCap: Count,
      nRequestsSurplus: Count,
      rateLimitResetTime: EpochMs,
    }),
  ),
};

export const userRateLimit = accountType('userRateLimit', CONTRACT, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    cumVlm: wireNumber(summary.volumeUsd),
    nRequestsUsed: summary.requestsUsed,
    nRequestsCap: REQUESTS_INITIAL + new Decimal(summary.volumeUsd).floor().toNumber(),
    nRequestsSurplus: 0,
    rateLimitResetTime: Math.ceil(services.limits.usage(call).resetMs),
  };
});
