// `bin/admin revoke-role`: from the next request on the user is no operator any more.
import type { AdminCommand } from '../adminCommand.ts';
import { runChangeRole } from './runChangeRole.ts';

export const revokeRole: AdminCommand = {
  name: 'revoke-role',
  takes: 'USER operator',
  does: 'takes that away again, from the next request on',
  run: (args, parts) => runChangeRole(args, parts, false),
};
