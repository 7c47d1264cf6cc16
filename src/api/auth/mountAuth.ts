// Mounts the endpoints below /v1/auth. A new one is a file of its own and a line here.

import { mountAudit } from './audit.ts';
import type { AuthParts, AuthRouter } from './authParts.ts';
import { mountCreateApiKey } from './keys/createApiKey.ts';
import { mountListApiKeys } from './keys/listApiKeys.ts';
import { mountRevokeApiKey } from './keys/revokeApiKey.ts';
import { mountChangePassword } from './password/changePassword.ts';
import { mountForgotPassword } from './password/forgotPassword.ts';
import { mountResetPage } from './password/resetPage.ts';
import { mountResetPassword } from './password/resetPassword.ts';
import { mountDeleteAccount } from './session/deleteAccount.ts';
import { mountLogin } from './session/login.ts';
import { mountLogout } from './session/logout.ts';
import { mountMe } from './session/me.ts';
import { mountRefresh } from './session/refresh.ts';
import { mountRegister } from './session/register.ts';

export function mountAuth(router: AuthRouter, parts: AuthParts): void {
  mountRegister(router, parts);
  mountLogin(router, parts);
  mountRefresh(router, parts);
  mountLogout(router, parts);
  mountForgotPassword(router, parts);
  mountResetPassword(router, parts);
  mountResetPage(router);
  mountChangePassword(router, parts);
  mountMe(router, parts);
  mountAudit(router, parts);
  mountDeleteAccount(router, parts);
  mountCreateApiKey(router, parts);
  mountListApiKeys(router, parts);
  mountRevokeApiKey(router, parts);
}
