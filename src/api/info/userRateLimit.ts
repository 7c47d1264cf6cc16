// `userRateLimit`: the address limit as the venue counts it (10,000 and one per USDC traded), and beside it when the
// window of the API key's own limit ends.
import { Decimal } from '../../shared/domain/decimal.ts';
import { askAccount } from '../accountQuery.ts';
import { wireNumber } from '../wireText.ts';
import { accountType } from './infoType.ts';

/** Requests an address may send before it has traded anything. */
const REQUESTS_INITIAL = 10_000;

export const userRateLimit = accountType('userRateLimit', {}, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    cumVlm: wireNumber(summary.volumeUsd),
    nRequestsUsed: summary.requestsUsed,
    nRequestsCap: REQUESTS_INITIAL + new Decimal(summary.volumeUsd).floor().toNumber(),
    nRequestsSurplus: 0,
    rateLimitResetTime: Math.ceil(services.limits.usage(call).resetMs),
  };
});
