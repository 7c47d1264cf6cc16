// Which generation of forms brought each command and question. An API node sends none that an older pod of the same
// deployment would not know: the deployment's record says so, for it is raised when every pod does.
import type { Format } from '../../../shared/domain/formats.ts';
import type { AccountCommand, AccountQuery } from './command.ts';

/** Those that generation 1 does not have. `test/formats` names one that is missing here. */
const NEWER: { readonly [Name in Exclude<AccountCommand['type'], 'query'> | AccountQuery['kind']]?: Format } = {};

/** The generation that a deployment has to be at before the command may be sent. */
export const generationOf = (command: AccountCommand): Format =>
  NEWER[command.type === 'query' ? command.query.kind : command.type] ?? 1;
