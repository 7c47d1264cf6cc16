// The house rules of an account: the endpoint that sets them, in place of those that it has, and the endpoint that shows them. Only an
// access token sets rules: a program that trades with a key cannot loosen them.

import { Type } from '@sinclair/typebox';
import { isSubAccount } from '../../api/access/keyRecord.ts';
import { ACCOUNT_ERRORS, accountParameter, paidOwnerOf } from '../../api/account/owner.ts';
import { reading } from '../../api/account/reading.ts';
import { askAccount, type Services, sendOptionsOf } from '../../api/accounts/services.ts';
import { requireLiveUser } from '../../api/auth/acts/userChecks.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { recordAudit } from '../../api/http/audited.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { compileReader } from '../../api/http/requestReader.ts';
import { assert } from '../../shared/domain/assert.ts';
import { RequestError } from '../../shared/errors.ts';
import { RulesAnswer, RulesBody, toAccountLimits, toRulesAnswer } from './ruleFields.ts';

const readRules = compileReader(RulesBody);

export const setAccountLimitsEndpoint = endpoint({
  id: 'setHouseRules',
  method: 'put',
  path: '/v1/exchanges/:exchange/account/rules',
  tag: 'Accounts',
  summary: 'Sets the house rules of an account, in place of those that it has; a body without rules takes them away.',
  description:
    'They hold for all keys and programs. Setting them begins anew: nothing is broken, and a drawdown is measured from the value of now. ' +
    'docs/agents.md says what each does.',
  query: Type.Object({ account: accountParameter }),
  body: {
    schema: readRules.schema,
    examples: {
      all: {
        daily_loss: { usd: '200', act: 'refuse' },
        drawdown: { percent: 10, act: 'close' },
        hours: { from: '08:00', to: '20:00', act: 'warn' },
        coins: { only: ['BTC', 'ETH'], act: 'refuse' },
      },
      none: {},
    },
  },
  answer: { about: 'The rules, and what is broken already.', schema: RulesAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'contradiction', 'unknown_coin'] },
  credential: 'token',
  price: HEAVY,
  isForPayers: true,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly services: Pick<Services, 'market'> }) => async (ctx) => {
    const { user } = await requireLiveUser(ctx, parts);
    const { user: owner, call } = await paidOwnerOf(ctx, parts);
    // The account is that of a key where one comes along: the token of another user does not speak for its owner.
    if (owner._id !== user._id)
      throw new RequestError(401, 'invalid_token', 'The access token is of another user than the API key.');
    const rules = toAccountLimits(readRules(await parts.readBody(ctx)), (coin) => parts.services.market.assetOf(coin));
    const { accountId } = call.caller;
    const options = sendOptionsOf(call);
    const outcome = await parts.accounts.send(accountId, { type: 'setHouseRules', rules }, options);
    assert(outcome.type === 'done', `setHouseRules is answered by done, not ${outcome.type}`);
    const about = isSubAccount(call.caller) ? { account: accountId } : {};
    const detail = rules === null ? 'none' : Object.keys(rules).join(', ');
    await recordAudit(ctx, parts, { userId: user._id, action: 'account.rules_set', outcome: 'ok', detail, ...about });
    const { answer } = await parts.accounts.ask(accountId, { kind: 'houseRules' }, options);
    answerJson(ctx, toRulesAnswer(answer.house));
  },
});

export const showAccountLimitsEndpoint = reading({
  name: 'rules',
  id: 'showHouseRules',
  summary: 'The house rules of the account, how far it is from them, and which are broken.',
  answer: { about: 'The rules; null = none of that kind.', schema: RulesAnswer },
  read: async (seen, call) => toRulesAnswer((await askAccount(call, seen, { kind: 'houseRules' })).house),
});
