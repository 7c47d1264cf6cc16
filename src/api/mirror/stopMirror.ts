// DELETE /v1/exchanges/perpx/account/mirror: an account follows its address no more. What it has stays: positions and open orders are its own.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount } from '../account/owner.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';
import { exactly } from '../contract/answerValues.ts';
import { requireReader } from '../dashboard/requireReader.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Mirrors } from './mirrors.ts';

export const stopMirrorEndpoint = endpoint({
  id: 'stopMirror',
  method: 'delete',
  path: '/v1/exchanges/:exchange/account/mirror',
  tag: 'Accounts',
  summary: 'The account follows its address no more. Positions and open orders stay.',
  query: Type.Object({ account: accountParameter }),
  answer: { about: 'Done.', schema: exactly({ message: Type.String() }) },
  errors: { ...ACCOUNT_ERRORS, 404: [...ACCOUNT_ERRORS[404], 'unknown_mirror'], 503: ['store_unavailable'] },
  credential: 'either',
  scope: 'trade',
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly mirrors: Mirrors }) => async (ctx) => {
    const { caller } = await callOfAccount(ctx, requireReader(ctx), parts.ownAccounts);
    const { accountId: account, userId } = caller;
    if (!(await parts.mirrors.stop(account))) throw new RequestError(404, 'unknown_mirror', 'The account follows no address.');
    await recordAudit(ctx, parts, { userId, account, action: 'mirror.ended', outcome: 'ok' });
    answerJson(ctx, { message: 'The account follows the address no more.' });
  },
});
