// `bin/admin quarantine list`: shows every halted account with its reason.

import { type HaltedAccount, haltedAccounts, toHaltedRow } from '../../operators/quarantine/haltedAccounts.ts';
import type { AdminCommand } from '../adminCommand.ts';

export const listQuarantine: AdminCommand = {
  name: 'quarantine list',
  takes: '',
  does: 'shows the halted accounts: in quarantine after a fault, or not loaded by their owners',
  async run(_args, parts) {
    const halted = await haltedAccounts(parts);
    return {
      data: { accounts: halted.map(toHaltedRow) },
      lines: halted.length === 0 ? ['No account is halted.'] : halted.map(lineOf),
    };
  },
};

const lineOf = ({ accountId, shard, reason, sinceMs, setAside }: HaltedAccount): string => {
  const since = sinceMs === undefined ? 'since a time not known' : `since ${new Date(sinceMs).toISOString()}`;
  return `${accountId}  shard ${shard}  ${since}  ${setAside?.bytes ?? 0} bytes set aside  ${reason.slice(0, 100)}`;
};
