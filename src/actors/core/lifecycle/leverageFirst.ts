// A what-if with a leverage of its own has it in every coin. Coins that it had nothing in when it began get it with the first command
// that places something in them, as an event before that command's own.
import type { Account } from '../account/account.ts';
import { leverageUnder } from '../account/group/terms.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { defaultLeverage } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';

type Run = (account: Account) => Decision;

/** @param run decides the command, of the account with the leverage */
export function withLeverageFirst(account: Account, command: AccountCommand, context: Context, run: Run): Decision {
  const set = account.fork?.terms?.leverage === undefined ? [] : missingSettings(account, command, context);
  if (set.length === 0) return run(account);
  const decision = run(new Draft(account, context.nowMs, { events: set }).account);
  return decision.events.length === 0 && decision.leavesNoEntry
    ? decision
    : { ...decision, events: [...set, ...decision.events] };
}

function missingSettings(account: Account, command: AccountCommand, { market }: Context): AccountEvent[] {
  return [...new Set(coinsOf(command))].flatMap((id) => {
    const asset = account.leverage.has(id) ? undefined : market.asset(id);
    const leverage = asset && leverageUnder(account, asset);
    if (asset === undefined || leverage === undefined) return [];
    return [{ type: 'leverageSet', asset: id, marginMode: defaultLeverage(asset).marginMode, leverage }];
  });
}

/** Coins in which the command places something. */
function coinsOf(command: AccountCommand): number[] {
  switch (command.type) {
    case 'inLab':
    case 'mirrored':
      return coinsOf(command.command);
    case 'placeOrders':
      return command.orders.map(({ asset }) => asset);
    case 'modifyOrders':
      return command.modifies.map(({ order }) => order.asset);
    case 'startTwap':
      return [command.asset];
    default:
      return [];
  }
}
