// The list of operators' commands. A new command is a file of its own and a line here.

import { type OperatorParts, UsageError } from '../operators/operatorParts.ts';
import type { AdminCommand, Report } from './adminCommand.ts';
import { exportAccount } from './archive/exportAccount.ts';
import { rebuildArchivedAccount } from './archive/rebuildArchivedAccount.ts';
import { showArchivedAccount } from './archive/showArchivedAccount.ts';
import { verifyAccount } from './archive/verifyAccount.ts';
import { backup } from './backup/backup.ts';
import { checkBackup } from './backup/checkBackup.ts';
import { restore } from './backup/restore.ts';
import { createDiscount } from './createDiscount.ts';
import { dropDeadLetter } from './deadLetters/dropDeadLetter.ts';
import { listDeadLetters } from './deadLetters/listDeadLetters.ts';
import { requeueDeadLetter } from './deadLetters/requeueDeadLetter.ts';
import { showDeadLetter } from './deadLetters/showDeadLetter.ts';
import { endDiscount, listDiscounts } from './discounts.ts';
import { verifyJournal } from './journal/verifyJournal.ts';
import { payInvoice } from './payInvoice.ts';
import { dropQuarantine } from './quarantine/dropQuarantine.ts';
import { liftQuarantine } from './quarantine/liftQuarantine.ts';
import { listQuarantine } from './quarantine/listQuarantine.ts';
import { showQuarantine } from './quarantine/showQuarantine.ts';
import { raiseFormats } from './raiseFormats.ts';
import { refundInvoice } from './refundInvoice.ts';
import { moveShard } from './shards/moveShard.ts';
import { showShards } from './shards/showShards.ts';
import { showFormats } from './showFormats.ts';
import { showQueues } from './showQueues.ts';
import { endSecondFactor } from './users/endSecondFactor.ts';
import { endSessions } from './users/endSessions.ts';
import { grantPlan } from './users/grantPlan.ts';
import { grantRole } from './users/grantRole.ts';
import { makeLoginLink } from './users/makeLoginLink.ts';
import { revokeRole } from './users/revokeRole.ts';
import { showUser } from './users/showUser.ts';

const COMMANDS: readonly AdminCommand[] = [
  showUser,
  grantRole,
  revokeRole,
  endSessions,
  endSecondFactor,
  makeLoginLink,
  grantPlan,
  createDiscount,
  listDiscounts,
  endDiscount,
  payInvoice,
  refundInvoice,
  showShards,
  moveShard,
  listQuarantine,
  showQuarantine,
  liftQuarantine,
  dropQuarantine,
  showArchivedAccount,
  exportAccount,
  verifyAccount,
  rebuildArchivedAccount,
  verifyJournal,
  listDeadLetters,
  showDeadLetter,
  requeueDeadLetter,
  dropDeadLetter,
  showQueues,
  showFormats,
  raiseFormats,
  backup,
  checkBackup,
  restore,
];

export const USAGE = [
  'What operators do. It reaches the stores of the `bin/start` that runs on this machine, or those of REDIS_URL and MONGO_URL.',
  '',
  '  bin/admin [--data DIR] [--json] COMMAND',
  '',
  ...COMMANDS.flatMap(({ name, takes, does }) => [`  ${name} ${takes}`.trimEnd(), `      ${does}`]),
  '',
  '--data DIR is the folder given to bin/start (default: var). The status is 0, 1 when it cannot be done, 2 for wrong words.',
  '',
].join('\n');

/** @throws {UsageError} when the words name no command, and what the command throws */
export async function runCommand(words: readonly string[], parts: OperatorParts): Promise<Report> {
  const command = findCommand(words);
  return command.run(argumentsOf(words, command), parts);
}

const argumentsOf = (words: readonly string[], { name }: AdminCommand): readonly string[] => words.slice(name.split(' ').length);

/** @throws {UsageError} when the words name no command, or more than one that takes no argument */
export function findCommand(words: readonly string[]): AdminCommand {
  // The longest name wins: `formats raise` is no `formats` with an argument.
  const longestFirst = COMMANDS.toSorted((a, b) => b.name.length - a.name.length);
  const found = longestFirst.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
  if (found === undefined)
    throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}"; bin/admin --help shows those there are.`);
  // `shards mvoe 3 pod` is no question.
  if (found.takes === '' && argumentsOf(words, found).length > 0)
    throw new UsageError(`${found.name} takes no argument; bin/admin --help shows what there is.`);
  return found;
}
