// Mounts the endpoints below /v1/auth. A new one is a file of its own and a line here.

import type { StaticFile } from '../http/pages/staticFile.ts';
import { mountAudit } from './audit.ts';
import type { AuthParts, AuthRouter } from './authParts.ts';
import { mountEndBrowserSession } from './browser/endBrowserSession.ts';
import { mountOpenBrowserSession } from './browser/openBrowserSession.ts';
import { mountRefreshBrowserSession } from './browser/refreshBrowserSession.ts';
import { mountResendVerification } from './email/resendVerification.ts';
import { mountVerifyEmail } from './email/verifyEmail.ts';
import { mountVerifyPage } from './email/verifyPage.ts';
import { mountChangeApiKey } from './keys/changeApiKey.ts';
import { mountCreateApiKey } from './keys/createApiKey.ts';
import { mountListApiKeys } from './keys/listApiKeys.ts';
import { mountRevokeApiKey } from './keys/revokeApiKey.ts';
import { mountRotateApiKey } from './keys/rotateApiKey.ts';
import { mountChangePassword } from './password/changePassword.ts';
import { mountForgotPassword } from './password/forgotPassword.ts';
import { mountResetPage } from './password/resetPage.ts';
import { mountResetPassword } from './password/resetPassword.ts';
import { mountBeginTotp } from './secondFactor/beginTotp.ts';
import { mountConfirmTotp } from './secondFactor/confirmTotp.ts';
import { mountEndTotp } from './secondFactor/endTotp.ts';
import { mountRenewRecoveryCodes } from './secondFactor/renewRecoveryCodes.ts';
import { mountShowTotp } from './secondFactor/showTotp.ts';
import { mountDeleteAccount } from './session/deleteAccount.ts';
import { mountEndOtherSessions } from './session/endOtherSessions.ts';
import { mountEndSession } from './session/endSession.ts';
import { mountListSessions } from './session/listSessions.ts';
import { mountLogin } from './session/login.ts';
import { mountLogout } from './session/logout.ts';
import { mountMe } from './session/me.ts';
import { mountRefresh } from './session/refresh.ts';
import { mountRegister } from './session/register.ts';

/** @param page of the dashboard, which then stands where the links of mails lead */
export function mountAuth(router: AuthRouter, parts: AuthParts, page?: StaticFile): void {
  mountRegister(router, parts);
  mountLogin(router, parts);
  mountRefresh(router, parts);
  mountLogout(router, parts);
  mountOpenBrowserSession(router, parts);
  mountRefreshBrowserSession(router, parts);
  mountEndBrowserSession(router, parts);
  mountListSessions(router, parts);
  mountEndOtherSessions(router, parts);
  mountEndSession(router, parts);
  mountForgotPassword(router, parts);
  mountResetPassword(router, parts);
  mountResetPage(router, page);
  mountVerifyEmail(router, parts);
  mountVerifyPage(router, page);
  mountResendVerification(router, parts);
  mountChangePassword(router, parts);
  mountShowTotp(router, parts);
  mountBeginTotp(router, parts);
  mountConfirmTotp(router, parts);
  mountRenewRecoveryCodes(router, parts);
  mountEndTotp(router, parts);
  mountMe(router, parts);
  mountAudit(router, parts);
  mountDeleteAccount(router, parts);
  mountCreateApiKey(router, parts);
  mountListApiKeys(router, parts);
  mountChangeApiKey(router, parts);
  mountRotateApiKey(router, parts);
  mountRevokeApiKey(router, parts);
}
