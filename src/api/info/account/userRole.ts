// `userRole`: whether an address is the user's master account or one of its sub-accounts. Of other addresses nothing is told: the key's
// own account answers for them.

import { Type } from '@sinclair/typebox';
import { isSubAccount } from '../../access/caller.ts';
import { Address, exactly } from '../../contract/answerValues.ts';
import { named } from '../../contract/named.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { accountType } from '../infoType.ts';

const CONTRACT = {
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

export const userRole = accountType('userRole', CONTRACT, (_request, { caller }) =>
  isSubAccount(caller) ? { role: 'subAccount' as const, data: { master: caller.master } } : { role: 'user' as const },
);
