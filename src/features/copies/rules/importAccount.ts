// An empty sub-account begins with what an address of the venue has: positions at their entry prices, leverage, open orders, and a balance
// that makes its account value that of the address, times the scale. All of it is one entry, whose first event has the source and what
// was left out. The same import once more changes nothing.

import type { Account } from '../../../actors/core/account/account.ts';
import { openedIn } from '../../../actors/core/checks/checkOpening.ts';
import { type Decision, Draft } from '../../../actors/core/fold/draft.ts';
import type { Context } from '../../../actors/core/fold/pipeline.ts';
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import type { CommandOutcome } from '../../../actors/core/messages/commandOutcome.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { type ImportReport, reportOf } from '../../../actors/core/messages/importReport.ts';
import { cut6, Decimal, toWire } from '../../../shared/domain/decimal.ts';
import { importOrders, importPositions } from './importOrders.ts';

type ImportAccount = Extract<AccountCommand, { type: 'importAccount' }>;
type ImportedEvent = Extract<AccountEvent, { type: 'imported' }>;

/** Account value that an import may give, USD. */
const VALUE_MAX = new Decimal('1e9');

export function importAccount(account: Account, command: ImportAccount, context: Context): Decision {
  const { source, scale, isDryRun } = command;
  const { imported } = account;
  if (!isDryRun && imported?.source === source && imported.scale === scale)
    return { ...nothing, outcome: { type: 'importedBefore', seq: imported.seq } };
  const reason = whyNotEmpty(account);
  if (reason !== undefined) return { ...nothing, outcome: { type: 'notEmpty', text: reason } };
  const value = new Decimal(command.accountValue).times(scale);
  if (cut6(value).lte(0)) return refused('The address has no account value to begin with.');
  if (value.gt(VALUE_MAX)) return refused(`An import begins with at most ${toWire(VALUE_MAX)} USD.`);
  const { events, report } = taken(account, command, { ...context, ids: isDryRun ? context.ids.fork() : context.ids });
  const outcome = { type: 'imported', report } as const;
  return isDryRun ? { ...nothing, outcome } : { events, requests: 0, outcome };
}

/** What an account has that an import would have to go on from. */
function whyNotEmpty({ positions, orders, triggers, twaps, cash, totals, imported, fork, lab }: Account): string | undefined {
  if (imported !== undefined) return `It began with another import, of ${imported.source}.`;
  if (fork !== undefined) return 'It began as a fork.';
  if (positions.size + orders.size + triggers.size + twaps.size + (lab?.waiting.length ?? 0) > 0)
    return 'It has positions, open orders or what is still to come.';
  if (!totals.volumeUsd.isZero()) return 'It has traded.';
  return cash.isZero() ? undefined : `It has ${toWire(cash)} USD: move them to another account.`;
}

function taken(
  account: Account,
  command: ImportAccount,
  context: Context,
): { readonly events: readonly AccountEvent[]; readonly report: ImportReport } {
  const { source, takenAtMs, accountValue } = command;
  const scale = new Decimal(command.scale);
  const positions = importPositions(account, command.positions, { value: scale.times(accountValue), scale, context });
  const usd = cut6(scale.times(accountValue).minus(positions.unrealizedPnl)).toString();
  const begun: ImportedEvent = {
    ...{ type: 'imported', source, scale: command.scale, takenAtMs, accountValue, usd },
    ...{ positions: positions.taken, orders: [], left: [] },
  };
  const draft = new Draft(account, context.nowMs);
  draft.record(begun);
  for (const { coin } of positions.taken) {
    for (const event of openedIn(draft.account, coin, context)) draft.record(event);
  }
  const orders = importOrders(draft, command.orders, scale, context);
  const event = { ...begun, orders: orders.taken, left: [...command.left, ...positions.left, ...orders.left] };
  const [, ...others] = draft.decided.events;
  const opened = new Set(others.flatMap((each) => ('order' in each && each.type !== 'orderEnded' ? [each.order.oid] : [])));
  const kept = others.filter((each) => each.type !== 'orderEnded' || opened.has(each.order.oid));
  return { events: [event, ...kept], report: reportOf(event) };
}

const nothing = { events: [], requests: 0, leavesNoEntry: true } as const;
const refused = (text: string): Decision => ({ ...nothing, outcome: { type: 'refused', text } satisfies CommandOutcome });
