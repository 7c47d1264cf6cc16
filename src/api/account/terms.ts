// The terms of an account, its fees and its fill model: the endpoint that sets them, in place of those that it has, and the endpoint that
// shows them. Only an access token sets terms: a program that trades with a key cannot make its own fills cheaper.

import { Type } from '@sinclair/typebox';
import { askAccount, sendOptionsOf } from '../accounts/services.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { ACCOUNT_ERRORS, accountParameter, changeAccount, tokenOwnerOf } from './owner.ts';
import { reading } from './reading.ts';
import { AccountTerms, readTerms, TermsBody, toAccountTerms } from './termsFields.ts';

export const setTermsEndpoint = endpoint({
  id: 'setTerms',
  method: 'put',
  path: '/v1/exchanges/:exchange/account/terms',
  tag: 'Accounts',
  summary: 'Sets the terms of an account, in place of those that it has; an empty body gives it the service’s own.',
  description:
    'Fees hold from the next fill on and survive a reset. Fills that were made stay as they are. Every return is shown beside them. ' +
    'Orders that rest keep the fill model that they were accepted under. Rule 7.1 has the tiers of the venue, rule 3.6 the fill models.',
  query: Type.Object({ account: accountParameter }),
  body: {
    schema: TermsBody,
    examples: {
      tier: { fees: { tier: 2 } },
      rebate: { fees: { tier: 4, rebate: 1 } },
      own: { fees: { maker: '-0.00002', taker: '0.0003' } },
      byVolume: { fees: { by_volume: true } },
      fillModel: { fees: { tier: 1 }, fill_model: 'probable' },
      none: {},
    },
  },
  answer: { about: 'The terms that hold from now on.', schema: AccountTerms },
  errors: ACCOUNT_ERRORS,
  credential: 'token',
  asks: ['paid'],
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await tokenOwnerOf(ctx, parts);
    const terms = readTerms(await parts.readBody(ctx));
    const note = { action: 'account.terms_set', detail: JSON.stringify(terms) } as const;
    await changeAccount(ctx, parts, owner, { command: { type: 'setTerms', terms }, ...note });
    const { caller } = owner.call;
    const { answer } = await parts.accounts.ask(caller.accountId, { kind: 'summary' }, sendOptionsOf(owner.call));
    answerJson(ctx, toAccountTerms(answer.summary.terms));
  },
});

export const showTermsEndpoint = reading({
  name: 'terms',
  id: 'showTerms',
  summary: 'Under which terms fills of the account are: its fees, and when resting orders fill.',
  answer: { about: 'The terms.', schema: AccountTerms },
  read: async (seen, call) => toAccountTerms((await askAccount(call, seen, { kind: 'summary' })).summary.terms),
});
