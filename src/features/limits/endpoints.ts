// The house rules of an account: the endpoint that sets them, in place of those that it has, and the endpoint that shows them. Only an
// access token sets rules: a program that trades with a key cannot loosen them.

import { Type } from '@sinclair/typebox';
import { ACCOUNT_ERRORS, accountParameter, changeAccount, tokenOwnerOf } from '../../api/account/owner.ts';
import { reading } from '../../api/account/reading.ts';
import { askAccount, type Services, sendOptionsOf } from '../../api/accounts/services.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { compileReader } from '../../api/http/requestReader.ts';
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
  asks: ['paid'],
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly services: Pick<Services, 'market'> }) => async (ctx) => {
    const owner = await tokenOwnerOf(ctx, parts);
    const rules = toAccountLimits(readRules(await parts.readBody(ctx)), (coin) => parts.services.market.assetOf(coin));
    const detail = rules === null ? 'none' : Object.keys(rules).join(', ');
    await changeAccount(ctx, parts, owner, { command: { type: 'setHouseRules', rules }, action: 'account.rules_set', detail });
    const { caller } = owner.call;
    const { answer } = await parts.accounts.ask(caller.accountId, { kind: 'houseRules' }, sendOptionsOf(owner.call));
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
