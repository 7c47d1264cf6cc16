// The endpoints below /v1/auth. A new one is a file of its own and a line here.

import { mountAudit } from './audit.ts';
import type { AuthParts, AuthRouter } from './authParts.ts';
import { mountChangePassword } from './changePassword.ts';
import { mountCreateApiKey } from './createApiKey.ts';
import { mountDeleteAccount } from './deleteAccount.ts';
import { mountForgotPassword } from './forgotPassword.ts';
import { mountListApiKeys } from './listApiKeys.ts';
import { mountLogin } from './login.ts';
import { mountLogout } from './logout.ts';
import { mountMe } from './me.ts';
import { mountRefresh } from './refresh.ts';
import { mountRegister } from './register.ts';
import { mountResetPage } from './resetPage.ts';
import { mountResetPassword } from './resetPassword.ts';
import { mountRevokeApiKey } from './revokeApiKey.ts';

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
