// `bin/admin grant`: gives a user a plan without payment, from now on.
import { UsageError } from '../../operators/operatorParts.ts';
import { GRANT_DAYS, giveUserPlan } from '../../operators/users/giveUserPlan.ts';
import { type Plan, plans } from '../../shared/domain/plan.ts';
import type { AdminCommand } from '../adminCommand.ts';
import { readOptions } from '../readOptions.ts';

export const grantPlan: AdminCommand = {
  name: 'grant',
  takes: 'USER basic|pro [--days N]',
  does: `gives a user a plan for N days from now (${GRANT_DAYS.standard}), whatever was paid for`,
  async run(args, parts) {
    const { words, options } = readOptions(args, ['days']);
    const [name, plan] = words;
    if (!isPlan(plan)) throw new UsageError(`Which plan? One of ${Object.keys(plans).join(', ')}.`);
    const days = Number(options.get('days') ?? GRANT_DAYS.standard);
    if (!Number.isInteger(days) || days < GRANT_DAYS.least || days > GRANT_DAYS.most) {
      throw new UsageError(`--days must be a whole number from ${GRANT_DAYS.least} to ${GRANT_DAYS.most}.`);
    }
    const data = await giveUserPlan(parts, { name, plan, days });
    return { data, lines: [`${data.email} has the plan ${plan} until ${data.until}.`] };
  },
};

const isPlan = (word: string | undefined): word is Plan => word !== undefined && Object.hasOwn(plans, word);
