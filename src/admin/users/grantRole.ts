// `bin/admin grant-role`: makes a user an operator. No request can.
import type { AdminCommand } from '../adminCommand.ts';
import { runChangeRole } from './runChangeRole.ts';

export const grantRole: AdminCommand = {
  name: 'grant-role',
  takes: 'USER operator',
  does: 'lets a user see and do what is below /v1/admin',
  run: (args, parts) => runChangeRole(args, parts, true),
};
