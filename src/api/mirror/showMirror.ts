// GET /v1/exchanges/perpx/account/mirror: which address an account follows, and how far it is. It only reads, so it also answers for an account
// whose trial is over.

import { Type } from '@sinclair/typebox';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount } from '../account/owner.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';
import { exactly, orNull } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { requireReader } from '../dashboard/requireReader.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { MirrorAnswer, toMirrorAnswer } from './mirrorFields.ts';
import type { Mirrors } from './mirrors.ts';

export const showMirrorEndpoint = endpoint({
  id: 'showMirror',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/mirror',
  tag: 'Accounts',
  summary: 'Which address of the venue the account follows.',
  query: Type.Object({ account: accountParameter }),
  answer: { about: 'The mirror.', schema: exactly({ mirror: described(orNull(MirrorAnswer), 'null: it follows none.') }) },
  errors: { ...ACCOUNT_ERRORS, 503: ['store_unavailable'] },
  credential: 'either',
  scope: 'read',
  price: HEAVY,
  reachesAccount: true,
  handle:
    ({ ownAccounts, mirrors }: Pick<AuthParts, 'ownAccounts'> & { readonly mirrors: Mirrors }) =>
    async (ctx) => {
      const { caller } = await callOfAccount(ctx, requireReader(ctx), ownAccounts);
      const mirror = await mirrors.find(caller.accountId);
      answerJson(ctx, { mirror: mirror === undefined ? null : toMirrorAnswer(mirror) });
    },
});
