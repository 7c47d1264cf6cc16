// The two reports of a copy: an account beside its fork, and an account beside the address that it mirrors. Both read the journal as forks
// do, hold nothing, and say how far they have read.
import { Type } from '@sinclair/typebox';
import type { Admission } from '../../api/access/admission.ts';
import { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount, requireReader } from '../../api/account/owner.ts';
import type { Services } from '../../api/accounts/services.ts';
import { queryTime } from '../../api/contract/requestValues.ts';
import { mayNot } from '../../api/contract/whoMay.ts';
import { HEAVY, LIGHT } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { timeOf } from '../../api/http/listQuery.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { Comparison } from './comparisonSchema.ts';
import { DivergenceReport } from './divergenceSchema.ts';
import { readComparison } from './readComparison.ts';
import { readDivergence } from './readDivergence.ts';

/** A report reads thousands of entries. One of a kind at a time leaves a node's time to trading. */
const TURNS = { atOnce: 1, atOnceOfUser: 1, waiting: 32, waitingOfUser: 2 };

/**
 * GET …/account/compare?with=<address>: what two accounts of the user have done since they parted: both curves, and the first entries where
 * they differ, with why and the evidence of both. One account began as a fork of the other, or both began as forks of one account.
 */
export const compareAccountsEndpoint = endpoint({
  id: 'compareAccounts',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/compare',
  tag: 'Accounts',
  summary: 'Two accounts beside each other since they parted: both curves, and where they first differ.',
  description:
    'For a fork or a what-if beside its source, or two forks that have an entry in common. Each difference has its reason and what both accounts ' +
    'did, with the evidence of fills. At most 10,000 entries are read: `complete` says whether that is all, `next` where to go on. docs/copies.md.',
  query: Type.Object({
    with: Type.String({
      pattern: accountParameter.pattern ?? '',
      description: 'Address of the other account of the user.',
      examples: ['0x00000000000000000000000000000000000000aa'],
    }),
    since: queryTime('ISO 8601 or milliseconds: what is after it is compared. Absent: all since they parted.'),
    account: accountParameter,
  }),
  answer: { about: 'The comparison.', schema: Comparison },
  errors: {
    ...ACCOUNT_ERRORS,
    400: [...ACCOUNT_ERRORS[400], 'contradiction', 'unrelated_accounts'],
    409: ['time_to_come'],
    429: ['too_many_reads'],
    503: ['busy', 'store_unavailable'],
  },
  credential: 'either',
  scope: 'read',
  asks: ['unboundKey'],
  price: HEAVY,
  reachesAccount: true,
  handle: ({ services, mongo, admission }: CompareParts) => {
    const turns = new ReadingTurns(TURNS);
    return async (ctx) => {
      const reader = requireReader(ctx);
      if (reader.caller.isBound) throw mayNot('bound_key', 'This API key is bound to one account and sees no other.');
      const call = await callOfAccount(ctx, reader, services.ownAccounts);
      const other = await services.ownAccounts.named(reader, withOf(ctx.query['with']));
      if (other === undefined) throw new RequestError(404, 'unknown_account', 'The user has no such account.');
      if (other.accountId === call.caller.accountId)
        throw new RequestError(400, 'contradiction', 'with must name another account than account.');
      const sinceMs = sinceOf(ctx, services.now());
      // The answer costs what asking for each account does.
      const onCount = (accounts: number) => admission.addWeight(ctx.state.request, LIGHT * accounts);
      const read = () => readComparison({ services, mongo, onCount }, [call, { ...call, caller: other }], sinceMs);
      ctx.set('X-Market-Source', services.market.status?.source ?? services.config.MARKET_SOURCE);
      answerJson(ctx, await turns.run(call.caller.userId, read));
    };
  },
});

interface CompareParts {
  readonly services: Services;
  readonly mongo: MongoConnection;
  readonly admission: Pick<Admission, 'addWeight'>;
}

/** @throws {RequestError} 400, and 409 for a time to come */
function sinceOf(ctx: RouteContext, nowMs: number): number | undefined {
  const sinceMs = timeOf(ctx, 'since');
  if (sinceMs !== undefined && sinceMs > nowMs)
    throw new RequestError(409, 'time_to_come', 'since must be a time that has come.');
  return sinceMs;
}

/** @throws {RequestError} 400 */
function withOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && new RegExp(accountParameter.pattern ?? '').test(given)) return given;
  throw new RequestError(400, 'invalid_request', 'with must be given once: 0x and 40 hex digits.');
}

/**
 * GET …/account/divergence: each fill of the address that an account mirrors beside what was filled here for it, and what the difference
 * comes from.
 */
export const showDivergenceEndpoint = endpoint({
  id: 'showDivergence',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/divergence',
  tag: 'Accounts',
  summary: 'Each fill of the mirrored address beside what was filled here, and what the difference comes from.',
  description:
    'Delay, price, missed, partial and fees, in USD and basis points; positive = worse for the account. 200 fills a page, at most 10,000 ' +
    'entries a request: `next` says where to go on. It is there when the mirror has ended, too, until a reset. docs/copies.md.',
  query: Type.Object({
    since: queryTime('ISO 8601 or milliseconds: the page has what was heard after it. Absent: from the first on.'),
    account: accountParameter,
  }),
  answer: { about: 'The report.', schema: DivergenceReport },
  errors: {
    ...ACCOUNT_ERRORS,
    404: [...ACCOUNT_ERRORS[404], 'unknown_mirror'],
    409: ['time_to_come'],
    429: ['too_many_reads'],
    503: ['busy', 'store_unavailable'],
  },
  credential: 'either',
  scope: 'read',
  price: HEAVY,
  reachesAccount: true,
  handle: ({ services, mongo }: { readonly services: Services; readonly mongo: MongoConnection }) => {
    const turns = new ReadingTurns(TURNS);
    return async (ctx) => {
      const call = await callOfAccount(ctx, requireReader(ctx), services.ownAccounts);
      const sinceMs = sinceOf(ctx, services.now());
      answerJson(ctx, await turns.run(call.caller.userId, () => readDivergence({ services, mongo }, call, sinceMs)));
    };
  },
});
