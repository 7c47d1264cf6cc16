// Commands of an account go to its what-ifs, too: each account decides alone, as with transfers. The source's entry has the command beside
// what it did there; the what-if takes it by its number, so a repeated one has no effect a second time and none is passed over.
import { latencyOf } from '../../../api/domain/lab/draws.ts';
import type { Account } from '../account/account.ts';
import { liveMirrors, MIRRORS_MAX } from '../account/group/mirrors.ts';
import { leverageUnder } from '../account/group/terms.ts';
import { type Context, clockOf, type Decision } from '../fold/decision.ts';
import type { AccountCommand, MirroredCommand, OwnersCommand } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';
import { inLab } from '../scheduled/lab/inLab.ts';

type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;
type Run = (account: Account, command: OwnersCommand, context: Context) => Decision;

/** One that receives already, or did, is not begun again: it would have a gap. */
export function addMirror(account: Account, { to }: CommandOf<'addMirror'>): Decision {
  if (account.mirrors?.to.some((each) => each.account === to)) return quiet([]);
  if (liveMirrors(account.mirrors).length >= MIRRORS_MAX) {
    return refused(`Too many what-ifs receive the commands of this account. Limit is ${MIRRORS_MAX}.`);
  }
  return quiet([{ type: 'mirrorAdded', to }]);
}

/** What the what-if has had; or that it takes no more. */
export function settleMirror(account: Account, { to, through, ended }: CommandOf<'settleMirror'>): Decision {
  const mirror = liveMirrors(account.mirrors).find((each) => each.account === to);
  if (mirror === undefined) return quiet([]);
  if (ended) return quiet([{ type: 'mirrorEnded', to, why: 'gone' }]);
  const had = mirror.start + through;
  return quiet(had > mirror.through ? [{ type: 'mirrorSettled', to, through: had }] : []);
}

/**
 * Takes a command of the source, after those before it.
 * @param run decides it
 */
export function receiveMirrored(account: Account, mirrored: CommandOf<'mirrored'>, context: Context, run: Run): Decision {
  const { of, number, command } = mirrored;
  const { fork } = account;
  if (fork?.received === undefined || fork.of !== of) return quiet([]);
  if (number !== fork.received + 1) return quiet([]);
  const { events, plans, requests } = decideMirrored(
    account,
    { ...mirrored, command: underTerms(account, command, context) },
    context,
    run,
  );
  return { events: [{ type: 'mirrorReceived', of, number }, ...events], plans, outcome: { type: 'done' }, requests };
}

/** With a latency it waits, as under a failure lab. */
function decideMirrored(account: Account, { number, command }: CommandOf<'mirrored'>, context: Context, run: Run): Decision {
  const latency = account.fork?.terms?.latency;
  const what = command.type === 'cancelOrders' ? 'cancel' : 'submit';
  const delayMs = latency && latencyOf(latency[what], { seed: latency.seed, on: 'exchange', number }, what);
  if (!delayMs) return run(account, command, context);
  const note = { key: 'what-if', on: 'exchange', number, atMs: clockOf(context), draw: 1, delayMs } as const;
  return inLab(account, { type: 'inLab', note, command }, context, run);
}

/** A what-if with a leverage of its own takes the mode alone. */
function underTerms(account: Account, command: MirroredCommand, { market }: Context): MirroredCommand {
  if (command.type !== 'updateLeverage') return command;
  const asset = market.asset(command.asset);
  const leverage = asset && leverageUnder(account, asset);
  return leverage === undefined ? command : { ...command, leverage };
}

const refused = (text: string): Decision => ({
  ...{ events: [], outcome: { type: 'refused', text }, requests: 0, leavesNoEntry: true },
});

const quiet = (events: readonly AccountEvent[]): Decision => ({
  ...{ events, outcome: { type: 'done' }, requests: 0, leavesNoEntry: true },
});
