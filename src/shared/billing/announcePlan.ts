// The consequences of a plan change, in whichever process it was made: every API node hears of it, and the account
// gets the greater balance the first time that it becomes pro. Repeating it does no harm.

import { OPENING_BALANCE_USD, plans } from '../domain/plan.ts';
import type { User } from '../mongo/userStore.ts';
import { queueCommands } from '../redis/queueCommands.ts';
import { announceUserChange } from '../userChange.ts';
import type { BillingParts } from './billingParts.ts';

const PRO_CREDIT_USD = String(Number(plans.pro.balanceUsd) - Number(plans.basic.balanceUsd));

export async function announcePlan({ redis, config, keys, formats }: BillingParts, user: User, requestId: string): Promise<void> {
  const active = await keys.listActive(user._id);
  await announceUserChange(redis, { userId: user._id, digests: active.map(({ digest }) => digest) });
  if (user.plan !== 'pro') return;
  await queueCommands(redis, {
    config,
    accountId: user.address,
    requestId,
    format: formats.current,
    commands: [
      { type: 'openAccount', depositUsd: OPENING_BALANCE_USD },
      { type: 'creditPlan', usd: PRO_CREDIT_USD },
    ],
  });
}
