// The list of operators' commands. A new command is a file of its own and a line here.

import { dropDeadLetter, requeueDeadLetter } from './acts/changeLetter.ts';
import { endSecondFactor, endSessions, grantRole, grantUserPlan, makeUserLoginLink, revokeRole } from './acts/changeUser.ts';
import { listDeadLetters, showDeadLetter } from './acts/deadLetters.ts';
import { createDiscount, endDiscount, listDiscounts } from './acts/discounts.ts';
import { raiseFormats, showFormats } from './acts/formats.ts';
import { payCommand, refundCommand } from './acts/invoices.ts';
import { moveShard } from './acts/moveShard.ts';
import { type OperatorParts, UsageError } from './acts/operatorParts.ts';
import { dropQuarantine, liftQuarantine, listQuarantine, showHaltedAccount } from './acts/quarantine.ts';
import { showQueues } from './acts/queues.ts';
import { showShards } from './acts/shards.ts';
import type { AdminCommand, Report } from './acts/terminal.ts';
import { showUser } from './acts/users.ts';
import { exportAccount, showArchivedAccount } from './archive/archivedAccount.ts';
import { rebuildArchivedAccount } from './archive/rebuildArchivedAccount.ts';
import { verifyAccount } from './archive/verifyAccount.ts';
import { verifyJournal } from './archive/verifyJournal.ts';
import { backup } from './backup/backup.ts';
import { checkBackup } from './backup/checkBackup.ts';
import { restore } from './backup/restore.ts';

const COMMANDS: readonly AdminCommand[] = [
  showUser,
  grantRole,
  revokeRole,
  endSessions,
  endSecondFactor,
  makeUserLoginLink,
  grantUserPlan,
  createDiscount,
  listDiscounts,
  endDiscount,
  payCommand,
  refundCommand,
  showShards,
  moveShard,
  listQuarantine,
  showHaltedAccount,
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
