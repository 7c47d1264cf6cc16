// Gives a user a plan without payment, from now on.
import { grantPlan } from '../../shared/billing/operatorActions.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { withAudit } from '../accounts/withAudit.ts';
import { type OperatorParts, Refused } from '../operatorParts.ts';
import { findUser } from './findUser.ts';

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
  const until = new Date(untilMs).toISOString();
  const { _id: id, email } = await findUser(name, parts);
  const of = { userId: id, action: 'plan.changed', detail: `${plan} until ${until}` } as const;
  await withAudit(parts, of, { act: () => give(parts, id, { plan, untilMs }) });
  return { id, email, plan, until };
}

async function give(parts: OperatorParts, userId: string, given: { plan: Plan; untilMs: number }): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (await grantPlan(parts.billing, await findUser(userId, parts), given)) return;
  }
  throw new Refused('The user keeps changing: try again.');
}
