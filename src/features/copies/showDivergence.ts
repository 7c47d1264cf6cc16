// GET …/account/divergence: each fill of the address that an account mirrors beside what was filled here for it, and what the difference comes
// from. It reads the journal as forks do, holds nothing, and says how far it has read.

import { Type } from '@sinclair/typebox';
import { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount } from '../../api/account/owner.ts';
import { requireReader } from '../../api/account/requireReader.ts';
import type { Services } from '../../api/accounts/services.ts';
import { queryTime } from '../../api/contract/requestValues.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { timeOf } from '../../api/http/listQuery.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { DivergenceReport } from './divergenceSchema.ts';
import { readDivergence } from './readDivergence.ts';

/** A report reads thousands of entries. One at a time leaves a node's time to trading. */
const TURNS = { atOnce: 1, atOnceOfUser: 1, waiting: 32, waitingOfUser: 2 };

export const showDivergenceEndpoint = endpoint({
  id: 'showDivergence',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/divergence',
  tag: 'Accounts',
  summary: 'Each fill of the mirrored address beside what was filled here, and what the difference comes from.',
  description:
    'Delay, price, missed, partial and fees, in USD and basis points; positive = worse for the account. 200 fills a page, at most 10,000 ' +
    'entries a request: `next` says where to go on. It is there when the mirror has ended, too, until a reset. docs/import.md.',
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
      const sinceMs = timeOf(ctx, 'since');
      if (sinceMs !== undefined && sinceMs > services.now())
        throw new RequestError(409, 'time_to_come', 'since must be a time that has come.');
      answerJson(ctx, await turns.run(call.caller.userId, () => readDivergence({ services, mongo }, call, sinceMs)));
    };
  },
});
