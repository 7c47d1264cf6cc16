// `bin/admin user`: shows what an operator needs to know about a user who asks for help.
import { UsageError } from '../../operators/operatorParts.ts';
import { describeUser } from '../../operators/users/describeUser.ts';
import { findUser } from '../../operators/users/findUser.ts';
import { type AdminCommand, columns } from '../adminCommand.ts';

export const showUser: AdminCommand = {
  name: 'user',
  takes: 'EMAIL | user_… | 0x… | key_…',
  does: 'shows a user with plan, dates, roles, keys and sessions',
  async run([name, ...more], parts) {
    if (more.length > 0) throw new UsageError(`user takes one name, and not also "${more.join(' ')}".`);
    const data = await describeUser(parts, await findUser(name, parts));
    const { api_keys, sessions, roles, sub_accounts, ...fields } = data;
    const lines = columns([
      ...Object.entries(fields).map(([field, value]): [string, string] => [field, String(value ?? '-')]),
      ['roles', roles.join(', ') || '-'],
      ['sub-accounts', sub_accounts.join(', ') || '-'],
    ]);
    const keyLines = api_keys.map(
      ({ id, key_prefix, name, account, last_used_at }) =>
        `key  ${id}  ${key_prefix}…  "${name}"${account === null ? '' : `  for ${account} alone`}  used ${last_used_at ?? 'never'}`,
    );
    const sessionLines = sessions.map(({ id, last_used_at, address }) => `session  ${id}  ${address}  used ${last_used_at}`);
    return { data, lines: [...lines, ...keyLines, ...sessionLines] };
  },
};
