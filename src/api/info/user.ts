// What the venue says of a user: role, sub-accounts, address limit, referrals. Of other users' addresses nothing is said: the key's own
// account answers for them.
import { Type } from '@sinclair/typebox';
import { requestCount } from '../../actors/core/account/limits.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { isSubAccount } from '../access/keyRecord.ts';
import { askAccount, type Call, type Services } from '../accounts/services.ts';
import { Address, Count, EpochMs, exactly, orNull, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { ClearinghouseState, NothingIn, SpotState } from '../contract/venueForms.ts';
import { HEAVY_QUESTION, QUESTION_OF_STATES } from '../domain/requestPrice.ts';
import { wireNumber } from '../domain/wireText.ts';
import { readClearinghouseState } from './clearinghouseState.ts';
import { accountType } from './infoType.ts';

const ROLE = {
  about: 'Role of the address.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: Type.Union([
    named('UserRole', exactly({ role: Type.Literal('user') })),
    named(
      'SubAccountRole',
      exactly({ role: Type.Literal('subAccount'), data: named('SubAccountMaster', exactly({ master: Address })) }),
    ),
  ]),
};

export const userRole = accountType('userRole', ROLE, (_request, { caller }) =>
  isSubAccount(caller) ? { role: 'subAccount' as const, data: { master: caller.master } } : { role: 'user' as const },
);

// `subAccounts` and `subAccounts2`: the user's sub-accounts with their states, each as its account has it at that moment. A sub-account
// has none, and a key that is bound to an account sees no other.

const names = { name: Type.String({ examples: ['grid'] }), subAccountUser: Address, master: Address };

const SubAccounts = orNull(
  Type.Array(named('SubAccount', exactly({ ...names, clearinghouseState: ClearinghouseState, spotState: SpotState }))),
);

const SubAccounts2 = orNull(
  Type.Array(
    named(
      'SubAccountOfDexs',
      exactly({
        ...names,
        dexToClearinghouseState: Type.Array(Type.Tuple([Type.Literal(''), ClearinghouseState])),
        spotState: SpotState,
      }),
    ),
  ),
);

const ABOUT = 'Sub-accounts of the user with their states; null where there are none.';

export const subAccounts = accountType(
  'subAccounts',
  { about: ABOUT, price: QUESTION_OF_STATES, fields: {}, answers: SubAccounts },
  (_request, call, services) => readSubAccounts(call, services),
);

export const subAccounts2 = accountType(
  'subAccounts2',
  {
    about: `${ABOUT} By perp dex: the main one, which has no name.`,
    price: QUESTION_OF_STATES,
    fields: {},
    answers: SubAccounts2,
  },
  async (_request, call, services) => {
    const accounts = await readSubAccounts(call, services);
    return (
      accounts?.map(({ clearinghouseState, ...account }) => ({
        ...account,
        dexToClearinghouseState: [['' as const, clearinghouseState] as const],
      })) ?? null
    );
  },
);

async function readSubAccounts(call: Call, services: Services) {
  const { caller } = call;
  if (isSubAccount(caller)) return null;
  const known = await services.ownAccounts.list(call);
  if (known.length === 0) return null;
  return await Promise.all(
    known.map(async ({ name, address }) => ({
      ...{ name, subAccountUser: address, master: caller.master },
      clearinghouseState: await readClearinghouseState({ ...call, caller: { ...caller, accountId: address, address } }, services),
      spotState: { balances: [] },
    })),
  );
}

// `userRateLimit`: the address limit as the venue counts it (10,000 and one per USDC traded), and beside it the end
// of the window of the API key's own limit.

const RATE_LIMIT = {
  about: 'The address limit as the venue counts it, and when the window of the API key’s own limit ends.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: named(
    'UserRateLimit',
    exactly({
      cumVlm: described(WireDecimal, 'Traded since ever, USD.'),
      nRequestsUsed: described(Count, 'Sent, less those that were paid for (`reserveRequestWeight`).'),
      nRequestsCap: described(Count, '10,000 and one for each USD traded.'),
      nRequestsSurplus: described(Count, 'Paid for and not sent yet.'),
      rateLimitResetTime: EpochMs,
    }),
  ),
};

export const userRateLimit = accountType('userRateLimit', RATE_LIMIT, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  const { requestsUsed, requestsReserved = 0 } = summary;
  const count = requestCount({ requestsUsed, requestsReserved, volumeUsd: new Decimal(summary.volumeUsd) });
  return {
    cumVlm: wireNumber(summary.volumeUsd),
    nRequestsUsed: count.used,
    nRequestsCap: count.cap,
    nRequestsSurplus: count.surplus,
    rateLimitResetTime: Math.ceil(services.limits.usage(call).resetMs),
  };
});

// `referral`: there are no referrals here; the answer is that of a new account, with its own volume.

const REFERRAL = {
  about: 'Nobody refers anybody here: a new account’s answer with its own volume.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: named(
    'Referral',
    exactly({
      referredBy: Type.Null(),
      cumVlm: WireDecimal,
      unclaimedRewards: WireDecimal,
      claimedRewards: WireDecimal,
      builderRewards: WireDecimal,
      referrerState: named(
        'ReferrerState',
        exactly({ stage: Type.Literal('needToTrade'), data: named('ReferrerRequirement', exactly({ required: WireDecimal })) }),
      ),
      rewardHistory: NothingIn,
      tokenToState: NothingIn,
    }),
  ),
};

export const referral = accountType('referral', REFERRAL, async (_request, call, services) => {
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    referredBy: null,
    cumVlm: wireNumber(summary.volumeUsd),
    unclaimedRewards: '0.0',
    claimedRewards: '0.0',
    builderRewards: '0.0',
    referrerState: { stage: 'needToTrade' as const, data: { required: '10000.0' } },
    rewardHistory: [],
    tokenToState: [],
  };
});
