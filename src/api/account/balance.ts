// The money of an account: the endpoints that top it up, reset it and set its balance.

import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { plans } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import { isSubAccount } from '../access/keyRecord.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { sendOptionsOf } from '../accounts/services.ts';
import type { AuthParts } from '../auth/parts/authParts.ts';
import { type AnswerFor, exactly, PlainDecimal } from '../contract/answerValues.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { described, named } from '../contract/named.ts';
import { decimalOrNumber } from '../contract/requestValues.ts';
import { CHEAP, HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { type ActRow, audited, RefusedAct } from '../http/audited.ts';
import type { BodyReader } from '../http/body.ts';
import { endpoint } from '../http/endpoint.ts';
import { idempotencyKeyOf } from '../http/idempotency.ts';
import { compileReader, NoFields, readNoFields } from '../http/requestReader.ts';
import { ACCOUNT_ERRORS, accountParameter, type PaidOwner, paidOwnerOf, requireUnlimited } from './owner.ts';

// The answer of the endpoints that change an account's money: the current balance and the amount deposited, USD.

const BalanceAnswer = named(
  'Balance',
  exactly({
    message: Type.String(),
    balance: described(PlainDecimal, 'As in the overview: account value less unrealized PnL, USD.'),
    change: described(PlainDecimal, 'What was deposited for that, USD; negative for money that was taken away.'),
  }),
);

/** `change` is negative for money that was withdrawn. */
const toBalanceAnswer = (
  { balanceUsd, changeUsd }: Extract<Outcome, { type: 'balanceChanged' }>,
  message: string,
): AnswerFor<typeof BalanceAnswer> => ({ message, balance: balanceUsd, change: changeUsd });

/** Of an endpoint, its own part. */
interface MoneyEndpoint<Asked extends object> extends Pick<Endpoint, 'id' | 'path' | 'summary' | 'body' | 'price'> {
  /** Codes of a 400: the first is that of a refusal by the rules. */
  readonly refusals: readonly [string, ...string[]];
  /** The client's own request beside the endpoint. The current plan is not part of it, so a repeated request stays the same. */
  readonly read: (ctx: RouteContext, readBody: BodyReader) => Promise<Asked>;
  /** @throws {RequestError} 400 with one of the codes */
  readonly act: (owner: PaidOwner, asked: Asked) => { readonly command: AccountCommand } & Pick<ActRow, 'action' | 'detail'>;
  readonly message: string;
}

/**
 * The endpoints send a command to the actor under the client's Idempotency-Key, write a row in the audit log, and answer a refusal by
 * the rules with a 400.
 */
const moneyEndpoint = <Asked extends object>({ refusals, read, act, message, ...own }: MoneyEndpoint<Asked>) =>
  endpoint({
    ...own,
    method: 'post',
    tag: 'Accounts',
    query: Type.Object({ account: accountParameter }),
    answer: { about: 'The balance.', schema: BalanceAnswer },
    errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], ...refusals] },
    credential: 'either',
    scope: 'trade',
    asks: ['paid', 'unlimitedKey'],
    reachesAccount: true,
    isIdempotent: true,
    handle: (parts: AuthParts) => async (ctx) => {
      const owner = await paidOwnerOf(ctx, parts);
      const asked = await read(ctx, parts.readBody);
      const { caller } = owner.call;
      requireUnlimited(caller, 'money');
      const { command, ...note } = act(owner, asked);
      const row = { userId: owner.user._id, ...note, ...(isSubAccount(caller) && { account: caller.accountId }) };
      const key = idempotencyKeyOf(ctx);
      const outcome = await audited(ctx, parts, row, async () => {
        const done = await parts.accounts.send(caller.accountId, command, {
          ...sendOptionsOf(owner.call),
          ...(key !== undefined && { idempotency: { key, bodyDigest: digestOf({ type: command.type, asked }) } }),
        });
        if (done.type === 'refused') throw new RefusedAct(400, refusals[0], done.text);
        assert(done.type === 'balanceChanged', `${command.type} is answered by the balance, not by ${done.type}`);
        return done;
      });
      answerJson(ctx, toBalanceAnswer(outcome, message));
    },
  });

const digestOf = (asked: object): string => createHash('sha256').update(JSON.stringify(asked)).digest('hex');

const readNothing = async (ctx: RouteContext, readBody: BodyReader): Promise<object> => {
  await readNoFields(ctx, readBody);
  return {};
};

/**
 * POST /v1/auth/account/reset: a master account with less than 100 USD of equity gets the balance of its plan again.
 * Sub-accounts get their money from it.
 */
export const topUpEndpoint = moneyEndpoint({
  id: 'topUp',
  path: '/v1/auth/account/reset',
  summary: 'A master account worth less than 100 USD gets the balance of its plan again.',
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  refusals: ['balance_too_high', 'sub_account'],
  price: CHEAP,
  read: readNothing,
  act: ({ user: { plan }, call }) => {
    if (isSubAccount(call.caller)) {
      const text =
        'A sub-account is not topped up: move USD to it from the master account (subAccountTransfer), or set its balance.';
      throw new RequestError(400, 'sub_account', text);
    }
    const command = { type: 'topUp', plan, balanceUsd: plans[plan].balanceUsd } as const;
    return { command, action: 'account.reset', detail: 'balance topped up' };
  },
  message: 'The balance was topped up.',
});

/**
 * POST /v1/exchanges/perpx/account/reset: everything open ends, the history is deleted, and the account begins again with the
 * balance of its plan; a sub-account begins again with nothing.
 */
export const resetAccountEndpoint = moneyEndpoint({
  id: 'resetAccount',
  path: '/v1/exchanges/:exchange/account/reset',
  summary: 'Ends everything open, deletes the history and begins anew; a sub-account with nothing.',
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  refusals: ['reset_refused'],
  price: HEAVY,
  read: readNothing,
  act: ({ user: { plan }, call }) => {
    const balanceUsd = isSubAccount(call.caller) ? '0' : plans[plan].balanceUsd;
    return { command: { type: 'resetAccount', plan, balanceUsd }, action: 'account.reset', detail: 'all data deleted' };
  },
  message: 'The account was reset: all orders, positions and history are gone.',
});

/** USD (specification 8). */
const Balance = decimalOrNumber(
  { from: 3, to: 7, decimals: 6 },
  'a number or a decimal string from 1000 to 10000000 with at most 6 decimals',
);

const readBalance = compileReader(
  Type.Object(
    {
      balance: described(Balance, 'From 1,000 to 10,000,000 USD, at most 6 decimals.'),
    },
    { expected: 'an object' },
  ),
);

/** POST /v1/exchanges/perpx/account/set-balance `{balance}`: sets the cash to exactly this amount, USD, while nothing is open. */
export const setBalanceEndpoint = moneyEndpoint({
  id: 'setBalance',
  path: '/v1/exchanges/:exchange/account/set-balance',
  summary: 'Cash becomes exactly that, while nothing is open.',
  body: { schema: readBalance.schema, examples: { number: { balance: 10_000 }, text: { balance: '12345.678901' } } },
  refusals: ['account_not_at_rest'],
  price: HEAVY,
  read: async (ctx, readBody) => ({ balanceUsd: new Decimal(readBalance(await readBody(ctx)).balance).toString() }),
  act: (_owner, { balanceUsd }) => ({
    command: { type: 'setBalance', balanceUsd },
    action: 'account.balance_set',
    detail: balanceUsd,
  }),
  message: 'The balance was set.',
});
