// DELETE /v1/auth/account `{password}`: the user, and all that could act for them, is gone; the trading account is closed, and
// the address may register anew. The audit log and what was paid stay, keys and history go with the job `retention`. Each step may be repeated, and the user goes last: whoever
// is answered an error still can log in and repeat the request.
import { Type } from '@sinclair/typebox';
import { Message } from '../../contract/answerValues.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/jsonAnswer.ts';
import { compileReader } from '../../http/requestReader.ts';
import { type AuthParts, type AuthRouter, requireUser } from '../authParts.ts';
import { PasswordText } from '../credentialsBody.ts';
import { requirePassword } from '../password/passwordCheck.ts';
import { recordAudit } from '../recordAudit.ts';

const readBody = compileReader(Type.Object({ password: PasswordText }, { expected: 'an object' }));

export const deleteAccountEndpoint = endpoint({
  id: 'deleteAccount',
  method: 'delete',
  path: '/v1/auth/account',
  tag: 'Accounts',
  summary: 'Deletes the user and closes the trading account.',
  credential: 'token',
  body: { schema: readBody.schema, examples: { confirmed: { password: 'a good password' } } },
  answer: { about: 'The user is gone.', schema: Message },
  errors: { 401: ['invalid_credentials'], 503: ['busy'] },
  reachesAccount: true,
});

export function mountDeleteAccount(router: AuthRouter, parts: AuthParts): void {
  const { users, deletedUsers, keys, credentials, accounts, now } = parts;
  router.delete(deleteAccountEndpoint.path, async (ctx) => {
    const user = await requireUser(ctx, parts);
    const { password } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'account.deleted' });
    const { _id: userId, address } = user;
    const digests = await keys.revokeAll(userId, new Date(now()));
    await credentials.announceChange(userId, digests);
    await accounts.send(address, { type: 'closeAccount' }, { requestId: ctx.state.request.requestId });
    await recordAudit(ctx, parts, { userId, action: 'account.deleted', outcome: 'ok' });
    await deletedUsers.note(user, new Date(now()));
    await users.remove(userId);
    await credentials.announceChange(userId, []);
    answerJson(ctx, { message: 'The account is deleted.' });
  });
}
