// POST /v1/exchanges/perpx/account/fork `{seq | time, name, what_if?}`: a sub-account that begins with the state that the account had after
// an entry, with `what_if` under other terms and with the account's commands from then on.
// The same request once more answers the same fork.

import { Type } from '@sinclair/typebox';
import { WHAT_IFS_MAX } from '../../actors/core/account/copies.ts';
import { isSubAccount } from '../../api/access/keyRecord.ts';
import { ACCOUNT_ERRORS, accountParameter, paidOwnerOf } from '../../api/account/owner.ts';
import { toTerms, toWhatIfTerms, WhatIfBody } from '../../api/account/whatIfFields.ts';
import { askAccount, type Call } from '../../api/accounts/services.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { Address, exactly, IsoTime, orNull, PlainDecimal } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { fitting, hasNotOne, IsoTimeText, isShownName, SubAccountName } from '../../api/contract/requestValues.ts';
import { mayNot } from '../../api/contract/whoMay.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { audited, RefusedAct } from '../../api/http/audited.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { absentOr, compileReader, WholeNumber } from '../../api/http/requestReader.ts';
import { subAccountAddress } from '../../shared/access/subAccountAddress.ts';
import { assert } from '../../shared/domain/assert.ts';
import { toWire } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { ForkPlace, Forks } from './forks.ts';

const readFork = compileReader(
  Type.Object(
    {
      name: SubAccountName,
      what_if: described(
        absentOr(WhatIfBody),
        'Goes on under these terms, and receives the commands of the account that it is forked from.',
      ),
      seq: Type.Optional(
        described(
          { ...WholeNumber, minimum: 1, expected: 'an integer from 1' },
          'The entry after which the fork begins; without `time`.',
        ),
      ),
      time: Type.Optional(described(IsoTimeText, 'The newest entry that is not later; without `seq`. No time to come.')),
    },
    { expected: 'an object', ...fitting('must have one of seq and time', hasNotOne('seq', 'time')) },
  ),
);

const Fork = named(
  'Fork',
  exactly({
    message: Type.String(),
    address: described(Address, 'Of the new sub-account.'),
    name: Type.String(),
    of: described(Address, 'The account that was forked.'),
    seq: described(WholeNumber, 'Its entry.'),
    time: described(IsoTime, 'Of the entry.'),
    state_hash: described(
      Type.String(),
      'Of the account’s state after that entry, as `X-Account-State-Hash` and exports name it.',
    ),
    balance: described(PlainDecimal, 'That the fork begins with, USD. It counts as its deposit.'),
    what_if: described(orNull(WhatIfBody), 'Its terms.'),
  }),
);

export const forkAccountEndpoint = endpoint({
  id: 'forkAccount',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/fork',
  tag: 'Accounts',
  summary: 'Makes a sub-account that begins with the state of an entry of this account.',
  description:
    'Needs no free money: a fork makes virtual money, which answers about all accounts show apart. Sending the request again is safe: there ' +
    'is one fork of a name and an entry. docs/copies.md says what it takes over.',
  query: Type.Object({ account: accountParameter }),
  body: {
    schema: readFork.schema,
    examples: {
      entry: { name: 'rewind', seq: 1 },
      whatIf: { name: 'what if', seq: 1, what_if: { fees: { maker: '0', taker: '0.0002' }, fill_model: 'pessimistic' } },
    },
  },
  answer: { about: 'The fork.', schema: Fork },
  errors: {
    ...ACCOUNT_ERRORS,
    400: [...ACCOUNT_ERRORS[400], 'unknown_seq', 'seq_forgotten', 'fork_refused'],
    409: ['time_to_come'],
    413: ['fork_too_large'],
    429: ['too_many_reads'],
    503: ['busy', 'store_unavailable'],
  },
  credential: 'either',
  scope: 'trade',
  asks: ['paid', 'unboundKey'],
  price: HEAVY,
  reachesAccount: true,
  handle: (parts: AuthParts & { readonly forks: Forks }) => async (ctx) => {
    const { forks } = parts;
    const { user, call } = await paidOwnerOf(ctx, parts);
    const { caller } = call;
    const { name, seq, time, what_if: wanted } = readFork(await parts.readBody(ctx));
    const terms = wanted == null ? undefined : toTerms(wanted);
    const place = placeOf({ seq, time }, parts.now());
    if (caller.isBound) throw mayNot('bound_key', 'This API key is bound to one account: fork it with a key that is not.');
    if (!isShownName(name)) throw new RequestError(400, 'fork_refused', 'Sub-account names consist of visible characters.');
    const state = await forks.read(call, place);
    const origin = { ...state.origin, ...(terms && { terms }) };
    if (terms !== undefined) await requireRoomForWhatIf(parts, call, name);
    const limit = await parts.ownAccounts.makeRoom(caller);
    const options = { requestId: call.requestId, trace: call.trace };
    const detail = `entry ${origin.seq}, ${name}`;
    const row = {
      userId: user._id,
      action: 'account.forked',
      detail,
      ...(isSubAccount(caller) && { account: caller.accountId }),
    } as const;
    const address = await audited(ctx, parts, row, async (row) => {
      const made = await parts.accounts.send(caller.master, { type: 'createSubAccount', name, limit, fork: origin }, options);
      if (made.type === 'refused') throw new RefusedAct(400, 'fork_refused', made.text);
      assert(made.type === 'subAccountCreated', `createSubAccount is answered by subAccountCreated, not ${made.type}`);
      const address = subAccountAddress(caller.master, made.number);
      row.detail = `${detail}, ${address}`;
      const isFork = await forks.begin({ ...call, caller: { ...caller, accountId: address, address } }, origin, state);
      if (!isFork)
        throw new RefusedAct(400, 'fork_refused', 'A fork of this name and entry has gone on as something else: it was reset.');
      return address;
    });
    answerJson(ctx, {
      message: 'The sub-account begins with the state of that entry.',
      ...{ address, name, of: origin.of, seq: origin.seq, time: new Date(state.timeMs).toISOString() },
      ...{
        state_hash: origin.hash,
        balance: toWire(state.balanceUsd),
        what_if: terms === undefined ? null : toWhatIfTerms(terms),
      },
    });
  },
});

/** One that is asked for again has its place already. @throws {RequestError} 400 when the account has as many what-ifs as it may */
async function requireRoomForWhatIf(
  { ownAccounts, accounts: gateway }: Pick<AuthParts, 'ownAccounts' | 'accounts'>,
  call: Call,
  name: string,
): Promise<void> {
  const known = await ownAccounts.list(call);
  if (known.some((each) => each.name === name)) return;
  const { mirrors } = await askAccount(call, { gateway }, { kind: 'groupMember' });
  if ((mirrors?.to.filter(({ ended }) => ended === undefined).length ?? 0) < WHAT_IFS_MAX) return;
  throw new RequestError(400, 'fork_refused', `Commands of an account go to ${WHAT_IFS_MAX} what-ifs at most.`);
}

/** @throws {RequestError} 409 for a time to come */
function placeOf({ seq, time }: { seq: number | undefined; time: string | undefined }, nowMs: number): ForkPlace {
  if (seq !== undefined) return { seq };
  const timeMs = Date.parse(time ?? '');
  if (timeMs > nowMs) throw new RequestError(409, 'time_to_come', 'time is yet to come.');
  return { timeMs };
}
