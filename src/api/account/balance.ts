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
import { described, named } from '../contract/named.ts';
import { decimalOrNumber } from '../contract/requestValues.ts';
import { CHEAP, HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { type ActRow, audited, RefusedAct } from '../http/audited.ts';
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

// What the endpoints that change an account as a whole share: they send a command to the actor under the client's
// Idempotency-Key, write a row in the audit log, and answer a refusal by the rules with a 400.

interface AccountAct {
  readonly command: AccountCommand;
  /** The client's own request beside the endpoint. The current plan is not part of it, so a repeated request stays the same. */
  readonly asked: unknown;
  readonly note: Pick<ActRow, 'action' | 'detail'>;
  /** `code` of the 400 for a refusal by the rules. */
  readonly refusalCode: string;
}

/** @throws {RequestError} 400 when the rules refuse, and as the gateway does */
async function runAccountCommand(
  ctx: RouteContext,
  parts: AuthParts,
  { user, call }: PaidOwner,
  { command, asked, note, refusalCode }: AccountAct,
): Promise<Extract<Outcome, { type: 'balanceChanged' }>> {
  const key = idempotencyKeyOf(ctx);
  const { accountId } = call.caller;
  const row = { userId: user._id, ...note, ...(isSubAccount(call.caller) && { account: accountId }) };
  return audited(ctx, parts, row, async () => {
    const outcome = await parts.accounts.send(accountId, command, {
      ...sendOptionsOf(call),
      ...(key !== undefined && { idempotency: { key, bodyDigest: digestOf({ type: command.type, asked }) } }),
    });
    if (outcome.type === 'refused') throw new RefusedAct(400, refusalCode, outcome.text);
    assert(outcome.type === 'balanceChanged', `${command.type} is answered by the balance, not by ${outcome.type}`);
    return outcome;
  });
}

const digestOf = (asked: object): string => createHash('sha256').update(JSON.stringify(asked)).digest('hex');

/**
 * POST /v1/auth/account/reset: a master account with less than 100 USD of equity gets the balance of its plan again.
 * Sub-accounts get their money from it.
 */
export const topUpEndpoint = endpoint({
  id: 'topUp',
  method: 'post',
  path: '/v1/auth/account/reset',
  tag: 'Accounts',
  summary: 'A master account worth less than 100 USD gets the balance of its plan again.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'balance_too_high', 'sub_account'] },
  credential: 'either',
  scope: 'trade',
  asks: ['paid', 'unlimitedKey'],
  price: CHEAP,
  reachesAccount: true,
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await paidOwnerOf(ctx, parts);
    await readNoFields(ctx, parts.readBody);
    requireUnlimited(owner.call.caller, 'money');
    if (isSubAccount(owner.call.caller)) {
      const text =
        'A sub-account is not topped up: move USD to it from the master account (subAccountTransfer), or set its balance.';
      throw new RequestError(400, 'sub_account', text);
    }
    const { plan } = owner.user;
    const outcome = await runAccountCommand(ctx, parts, owner, {
      command: { type: 'topUp', plan, balanceUsd: plans[plan].balanceUsd },
      asked: {},
      note: { action: 'account.reset', detail: 'balance topped up' },
      refusalCode: 'balance_too_high',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The balance was topped up.'));
  },
});

/**
 * POST /v1/exchanges/perpx/account/reset: everything open ends, the history is deleted, and the account begins again with the
 * balance of its plan; a sub-account begins again with nothing.
 */
export const resetAccountEndpoint = endpoint({
  id: 'resetAccount',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/reset',
  tag: 'Accounts',
  summary: 'Ends everything open, deletes the history and begins anew; a sub-account with nothing.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'reset_refused'] },
  credential: 'either',
  scope: 'trade',
  asks: ['paid', 'unlimitedKey'],
  price: HEAVY,
  reachesAccount: true,
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await paidOwnerOf(ctx, parts);
    await readNoFields(ctx, parts.readBody);
    requireUnlimited(owner.call.caller, 'money');
    const { plan } = owner.user;
    const balanceUsd = isSubAccount(owner.call.caller) ? '0' : plans[plan].balanceUsd;
    const outcome = await runAccountCommand(ctx, parts, owner, {
      command: { type: 'resetAccount', plan, balanceUsd },
      asked: {},
      note: { action: 'account.reset', detail: 'all data deleted' },
      refusalCode: 'reset_refused',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The account was reset: all orders, positions and history are gone.'));
  },
});

// POST /v1/exchanges/perpx/account/set-balance `{balance}`: sets the cash to exactly this amount, USD, while nothing is open.

/** USD (specification 8). */
const Balance = decimalOrNumber(
  { from: 3, to: 7, decimals: 6 },
  'a number or a decimal string from 1000 to 10000000 with at most 6 decimals',
);

const readBody = compileReader(
  Type.Object(
    {
      balance: described(Balance, 'From 1,000 to 10,000,000 USD, at most 6 decimals.'),
    },
    { expected: 'an object' },
  ),
);

export const setBalanceEndpoint = endpoint({
  id: 'setBalance',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/set-balance',
  tag: 'Accounts',
  summary: 'Cash becomes exactly that, while nothing is open.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: readBody.schema, examples: { number: { balance: 10_000 }, text: { balance: '12345.678901' } } },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'account_not_at_rest'] },
  credential: 'either',
  scope: 'trade',
  asks: ['paid', 'unlimitedKey'],
  price: HEAVY,
  reachesAccount: true,
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await paidOwnerOf(ctx, parts);
    const balanceUsd = new Decimal(readBody(await parts.readBody(ctx)).balance).toString();
    requireUnlimited(owner.call.caller, 'money');
    const outcome = await runAccountCommand(ctx, parts, owner, {
      command: { type: 'setBalance', balanceUsd },
      asked: { balanceUsd },
      note: { action: 'account.balance_set', detail: balanceUsd },
      refusalCode: 'account_not_at_rest',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The balance was set.'));
  },
});
