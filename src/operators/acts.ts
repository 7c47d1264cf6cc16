// All that operators do and see: the one list, in the order of the help of `bin/admin`. commands.ts makes the commands of it, endpoints.ts
// the endpoints below /v1/admin. A new act is a constant in acts/ and a line here.

import { dropDeadLetter, requeueDeadLetter } from './acts/changeLetter.ts';
import { endSecondFactor, endSessions, grantRole, grantUserPlan, makeUserLoginLink, revokeRole } from './acts/changeUser.ts';
import { listDeadLetters, listNewestLetters, showDeadLetter } from './acts/deadLetters.ts';
import { createDiscount, endDiscount, listAllDiscounts, listDiscounts } from './acts/discounts.ts';
import { raiseFormats, showFormats } from './acts/formats.ts';
import { listInvoices, payInvoice, refundInvoice } from './acts/invoices.ts';
import { moveShard } from './acts/moveShard.ts';
import type { OperatorAct } from './acts/operatorAct.ts';
import { listOperatorActs } from './acts/operatorAudit.ts';
import type { AdminCommand } from './acts/operatorParts.ts';
import { showOverview } from './acts/overview.ts';
import { dropQuarantine, liftQuarantine, listQuarantine, showHaltedAccount } from './acts/quarantine.ts';
import { showQueues } from './acts/queues.ts';
import { showShards } from './acts/shards.ts';
import { listUsers, showUser } from './acts/users.ts';

/** For the terminal alone, and loaded when it runs: no node of the API has its code in memory. */
const loaded = (command: Omit<AdminCommand, 'run'>, load: () => Promise<AdminCommand['run']>): OperatorAct => ({
  command: { ...command, run: async (args, parts) => (await load())(args, parts) },
});

export const OPERATOR_ACTS: readonly OperatorAct[] = [
  listUsers,
  showUser,
  { command: grantRole },
  { command: revokeRole },
  endSessions,
  { command: endSecondFactor },
  { command: makeUserLoginLink },
  grantUserPlan,
  createDiscount,
  { command: listAllDiscounts },
  listDiscounts,
  endDiscount,
  listInvoices,
  payInvoice,
  refundInvoice,
  showOverview,
  showShards,
  { command: moveShard },
  listQuarantine,
  showHaltedAccount,
  liftQuarantine,
  dropQuarantine,
  loaded(
    {
      name: 'account show',
      takes: 'ACCOUNT',
      does: 'shows an account: its user, shard and owner, its state, and what history, archive and journal have of it',
    },
    async () => (await import('./archive/archivedAccount.ts')).showArchivedAccount,
  ),
  loaded(
    {
      name: 'account export',
      takes: 'ACCOUNT FILE [--from SEQ] [--to SEQ]',
      does: 'writes the entries of an account to a file, one a line, with a chain of hashes and the state hash at its end',
    },
    async () => (await import('./archive/archivedAccount.ts')).exportAccount,
  ),
  loaded(
    {
      name: 'account verify',
      takes: 'ACCOUNT | --all',
      does: 'folds all that was archived and compares it with everything that is stored; says the first difference, status 1',
    },
    async () => (await import('./archive/verifyAccount.ts')).verifyAccount,
  ),
  loaded(
    {
      name: 'account rebuild',
      takes: 'ACCOUNT [--seq SEQ] [--out FILE] [--replace [--yes]]',
      does: 'folds an account as of an entry; --replace has it go on from there, after saying what that gives up, with --yes',
    },
    async () => (await import('./archive/rebuildArchivedAccount.ts')).rebuildArchivedAccount,
  ),
  loaded(
    {
      name: 'verify',
      takes: 'FILE',
      does: 'recomputes the chain, the state and the balance of an exported journal, and names the first line that is not as it was written',
      needsNoStores: true,
    },
    async () => (await import('./archive/verifyJournal.ts')).verifyJournal,
  ),
  { command: listNewestLetters },
  listDeadLetters,
  showDeadLetter,
  requeueDeadLetter,
  dropDeadLetter,
  showQueues,
  { command: showFormats },
  raiseFormats,
  loaded(
    {
      name: 'backup',
      takes: 'DIR [--rate MB]',
      does: 'copies Redis and MongoDB as of one cut into DIR while trading goes on, MB megabytes a second at most (20)',
    },
    async () => (await import('./backup/backup.ts')).backup,
  ),
  loaded(
    {
      name: 'backup-check',
      takes: 'DIR',
      does: 'reads a backup to its end, makes the state of every account from it, and compares; needs no store',
      needsNoStores: true,
    },
    async () => (await import('./backup/checkBackup.ts')).checkBackup,
  ),
  loaded(
    {
      name: 'restore',
      takes: 'DIR [--rate MB]',
      does: 'puts a backup into empty stores and verifies every account; run it again when it was interrupted',
    },
    async () => (await import('./backup/restore.ts')).restore,
  ),
  listOperatorActs,
];
