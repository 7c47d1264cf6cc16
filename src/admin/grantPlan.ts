// `bin/admin grant`: gives a user a plan without payment, from now on.
import { grantPlan as grant } from '../shared/billing/operatorActions.ts';
import { type Plan, plans } from '../shared/domain/plan.ts';
import { type AdminCommand, Refused, UsageError } from './adminCommand.ts';
import { findUser } from './findUser.ts';
import { readOptions } from './readOptions.ts';

const DAY_MS = 86_400_000;
const DAYS = { least: 1, most: 36_500, standard: 30 };
/** How often the command reads a user again who has changed meanwhile. */
const TRIES = 5;

export const grantPlan: AdminCommand = {
  name: 'grant',
  takes: 'USER basic|pro [--days N]',
  does: `gives a user a plan for N days from now (${DAYS.standard}), whatever was paid for`,
  async run(args, parts) {
    const { words, options } = readOptions(args, ['days']);
    const [name, plan] = words;
    if (!isPlan(plan)) throw new UsageError(`Which plan? One of ${Object.keys(plans).join(', ')}.`);
    const days = Number(options.get('days') ?? DAYS.standard);
    if (!Number.isInteger(days) || days < DAYS.least || days > DAYS.most) {
      throw new UsageError(`--days must be a whole number from ${DAYS.least} to ${DAYS.most}.`);
    }
    const untilMs = parts.billing.now() + days * DAY_MS;
    for (let tries = 0; tries < TRIES; tries++) {
      const user = await findUser(name, parts);
      if (!(await grant(parts.billing, user, { plan, untilMs }))) continue;
      const until = new Date(untilMs).toISOString();
      return {
        data: { id: user._id, email: user.email, plan, until },
        lines: [`${user.email} has the plan ${plan} until ${until}.`],
      };
    }
    throw new Refused('The user keeps changing: try again.');
  },
};

const isPlan = (word: string | undefined): word is Plan => word !== undefined && Object.hasOwn(plans, word);
