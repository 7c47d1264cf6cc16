// `subAccounts` and `subAccounts2`: the user's sub-accounts with their states, each as its account has it at that moment. A sub-account
// has none, and a key that is bound to an account sees no other.

import { Type } from '@sinclair/typebox';
import { isSubAccount } from '../../access/caller.ts';
import type { Call, Services } from '../../accounts/services.ts';
import { Address, exactly, orNull } from '../../contract/answerValues.ts';
import { named } from '../../contract/named.ts';
import { ClearinghouseState, SpotState } from '../../contract/venueForms.ts';
import { QUESTION_OF_STATES } from '../../domain/requestPrice.ts';
import { accountType } from '../infoType.ts';
import { readClearinghouseState } from './clearinghouseState.ts';

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
