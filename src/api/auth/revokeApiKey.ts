// DELETE /v1/auth/api-keys/{id}: revokes a key of the caller's own. It stops at once here and within a second everywhere.
import { RequestError } from '../../shared/errors.ts';
import { answerJson } from '../jsonAnswer.ts';
import { noteAct } from '../noteAct.ts';
import { type AuthParts, type AuthRouter, requireUser } from './authParts.ts';

export function mountRevokeApiKey(router: AuthRouter, parts: AuthParts): void {
  const { keys, credentials, now } = parts;
  router.delete('/v1/auth/api-keys/:id', async (ctx) => {
    const user = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    const revoked = await keys.revoke(user._id, id, new Date(now()));
    // Told again for a key that was revoked before: whoever repeats a request that failed half way completes it.
    if (revoked) await credentials.announceChange(user._id, [revoked.key.digest]);
    if (revoked?.isRevokedNow)
      await noteAct(ctx, parts, { userId: user._id, action: 'api_key.revoked', outcome: 'ok', detail: id });
    else throw new RequestError(404, 'unknown_api_key', 'There is no such API key.');
    answerJson(ctx, { id, message: 'The API key is revoked.' });
  });
}
