// Gives a user a plan without payment, from now on.
import { grantPlan } from '../../shared/billing/operatorActions.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { type OperatorParts, Refused } from '../operatorParts.ts';
import { findUser } from './findUser.ts';

const DAY_MS = 86_400_000;
/** For how many days a plan may be granted. */
export const GRANT_DAYS = { least: 1, most: 36_500, standard: 30 } as const;
/** How often a user is read again who has changed meanwhile. */
const TRIES = 5;

/** @throws {Unknown} when no user has that name, {Refused} when the user keeps changing */
export async function giveUserPlan(
  parts: OperatorParts,
  { name, plan, days }: { name: string | undefined; plan: Plan; days: number },
): Promise<{ readonly id: string; readonly email: string; readonly plan: Plan; readonly until: string }> {
  const untilMs = parts.billing.now() + days * DAY_MS;
  for (let tries = 0; tries < TRIES; tries++) {
    const user = await findUser(name, parts);
    if (!(await grantPlan(parts.billing, user, { plan, untilMs }))) continue;
    return { id: user._id, email: user.email, plan, until: new Date(untilMs).toISOString() };
  }
  throw new Refused('The user keeps changing: try again.');
}
