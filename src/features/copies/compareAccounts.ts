// GET …/account/compare?with=<address>: what two accounts of the user have done since they parted, beside each other: both curves, and the
// first entries where they differ, with why and the evidence of both. One began as a fork of the other, or both of one account. It reads the
// journal as forks do, holds nothing, and says how far it has read.

import { Type } from '@sinclair/typebox';
import type { Admission } from '../../api/access/admission.ts';
import { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount } from '../../api/account/owner.ts';
import { requireReader } from '../../api/account/requireReader.ts';
import type { Services } from '../../api/accounts/services.ts';
import { queryTime } from '../../api/contract/requestValues.ts';
import { HEAVY, LIGHT } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { timeOf } from '../../api/http/listQuery.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { Comparison } from './comparisonSchema.ts';
import { readComparison } from './readComparison.ts';

/** A comparison reads thousands of entries. One at a time leaves a node's time to trading. */
const TURNS = { atOnce: 1, atOnceOfUser: 1, waiting: 32, waitingOfUser: 2 };

export const compareAccountsEndpoint = endpoint({
  id: 'compareAccounts',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/compare',
  tag: 'Accounts',
  summary: 'Two accounts beside each other since they parted: both curves, and where they first differ.',
  description:
    'For a fork or a what-if beside its source, or two forks that have an entry in common. Each difference has its reason and what both accounts ' +
    'did, with the evidence of fills. At most 10,000 entries are read: `complete` says whether that is all, `next` where to go on. docs/fork.md.',
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
    403: ['bound_key'],
    409: ['time_to_come'],
    429: ['too_many_reads'],
    503: ['busy', 'store_unavailable'],
  },
  credential: 'either',
  scope: 'read',
  price: HEAVY,
  reachesAccount: true,
  handle: ({ services, mongo, admission }: CompareParts) => {
    const turns = new ReadingTurns(TURNS);
    return async (ctx) => {
      const reader = requireReader(ctx);
      if (reader.caller.isBound)
        throw new RequestError(403, 'bound_key', 'This API key is bound to one account and sees no other.');
      const call = await callOfAccount(ctx, reader, services.ownAccounts);
      const other = await services.ownAccounts.named(reader, withOf(ctx.query['with']));
      if (other === undefined) throw new RequestError(404, 'unknown_account', 'The user has no such account.');
      if (other.accountId === call.caller.accountId)
        throw new RequestError(400, 'contradiction', 'with must name another account than account.');
      const sinceMs = timeOf(ctx, 'since');
      if (sinceMs !== undefined && sinceMs > services.now())
        throw new RequestError(409, 'time_to_come', 'since must be a time that has come.');
      // The answer costs what asking for each account does.
      const onCount = (accounts: number) => admission.addWeight(ctx.state.request, LIGHT * accounts);
      const read = () => readComparison({ services, mongo, onCount }, [call, { ...call, caller: other }], sinceMs);
      ctx.set('X-Market-Source', services.market.status?.source ?? services.config.MARKET_SOURCE);
      answerJson(ctx, await turns.run(call.caller.userId, read));
    };
  },
});

export interface CompareParts {
  readonly services: Services;
  readonly mongo: MongoConnection;
  readonly admission: Pick<Admission, 'addWeight'>;
}

/** @throws {RequestError} 400 */
function withOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && new RegExp(accountParameter.pattern ?? '').test(given)) return given;
  throw new RequestError(400, 'invalid_request', 'with must be given once: 0x and 40 hex digits.');
}
