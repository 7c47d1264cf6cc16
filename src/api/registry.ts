// Every endpoint, in the order of the published contract. The server mounts them, admission asks for their prices, and the documents
// describe them. Only a role loads the list.

import { alertEndpoints } from '../features/alerts/endpoints.ts';
import { analyticsEndpoints, tearsheetEndpoints } from '../features/analytics/endpoints.ts';
import { billingEndpoints } from '../features/billing/endpoints/endpoints.ts';
import { controlEndpoint } from '../features/control/endpoints.ts';
import { forkAccountEndpoint } from '../features/copies/forkAccount.ts';
import { importAccountEndpoint } from '../features/copies/importAccount.ts';
import { showMirrorEndpoint, startMirrorEndpoint, stopMirrorEndpoint } from '../features/copies/mirrorEndpoints.ts';
import { compareAccountsEndpoint, showDivergenceEndpoint } from '../features/copies/reportEndpoints.ts';
import { exportEndpoint } from '../features/export/endpoints.ts';
import { endLabEndpoint, setLabEndpoint, showLabEndpoint } from '../features/lab/endpoints.ts';
import { setAccountLimitsEndpoint, showAccountLimitsEndpoint } from '../features/limits/endpoints.ts';
import { adminEndpoints } from '../operators/endpoints.ts';
import { resetAccountEndpoint, setBalanceEndpoint, topUpEndpoint } from './account/balance.ts';
import { setTermsEndpoint, showTermsEndpoint } from './account/terms.ts';
import type { ApiParts } from './apiParts.ts';
import { auditEndpoint } from './auth/audit.ts';
import { refreshBrowserSessionEndpoint } from './auth/browserCookie.ts';
import { endBrowserSessionEndpoint, openBrowserSessionEndpoint, openLinkedSessionEndpoint } from './auth/browserSessions.ts';
import { resendVerificationEndpoint, verifyEmailEndpoint } from './auth/email.ts';
import { listApiKeysEndpoint, revokeApiKeyEndpoint } from './auth/keys/apiKeys.ts';
import { changeApiKeyEndpoint, rotateApiKeyEndpoint } from './auth/keys/changeApiKey.ts';
import { createApiKeyEndpoint } from './auth/keys/createApiKey.ts';
import { resetPageEndpoint, verifyPageEndpoint } from './auth/linkPages.ts';
import { loginEndpoint, logoutEndpoint, refreshEndpoint } from './auth/login.ts';
import { changePasswordEndpoint, forgotPasswordEndpoint, resetPasswordEndpoint } from './auth/password.ts';
import { deleteAccountEndpoint, meEndpoint } from './auth/profile.ts';
import { registerEndpoint } from './auth/registration.ts';
import { endOtherSessionsEndpoint, endSessionEndpoint, listSessionsEndpoint } from './auth/sessions.ts';
import {
  beginTotpEndpoint,
  confirmTotpEndpoint,
  endTotpEndpoint,
  renewRecoveryCodesEndpoint,
  showTotpEndpoint,
} from './auth/totp.ts';
import { dashboardEndpoints, groupEndpoint } from './dashboard/dashboardEndpoints.ts';
import { documentEndpoints } from './documents/documentEndpoints.ts';
import { frontPageEndpoint } from './documents/frontPage.ts';
import type { MountedEndpoint } from './http/endpoint.ts';
import { mcpEndpoint } from './mcp/mcpEndpoint.ts';
import { operatorEndpoints } from './operations/operators.ts';
import { dashboardPageEndpoints } from './pages/pageEndpoints.ts';
import { streamEndpoint } from './stream/streamEndpoint.ts';
import { exchangeEndpoint, infoEndpoint } from './trading/tradingContract.ts';

/**
 * @param options.hasTestPayments whether payments are tests here
 * @param options.hasDashboard whether the dashboard is served
 * @param options.hasControl whether a test may move the market
 */
export const allEndpoints = ({
  hasTestPayments,
  hasDashboard,
  hasControl = false,
}: {
  hasTestPayments: boolean;
  hasDashboard: boolean;
  hasControl?: boolean;
}): readonly MountedEndpoint<ApiParts>[] => [
  infoEndpoint,
  exchangeEndpoint,
  streamEndpoint,
  mcpEndpoint,
  registerEndpoint,
  loginEndpoint,
  refreshEndpoint,
  logoutEndpoint,
  openBrowserSessionEndpoint,
  openLinkedSessionEndpoint,
  refreshBrowserSessionEndpoint,
  endBrowserSessionEndpoint,
  listSessionsEndpoint,
  endOtherSessionsEndpoint,
  endSessionEndpoint,
  forgotPasswordEndpoint,
  resetPageEndpoint,
  resetPasswordEndpoint,
  verifyEmailEndpoint,
  verifyPageEndpoint,
  resendVerificationEndpoint,
  changePasswordEndpoint,
  showTotpEndpoint,
  beginTotpEndpoint,
  confirmTotpEndpoint,
  renewRecoveryCodesEndpoint,
  endTotpEndpoint,
  meEndpoint,
  auditEndpoint,
  createApiKeyEndpoint,
  listApiKeysEndpoint,
  changeApiKeyEndpoint,
  rotateApiKeyEndpoint,
  revokeApiKeyEndpoint,
  showLabEndpoint,
  setLabEndpoint,
  endLabEndpoint,
  topUpEndpoint,
  resetAccountEndpoint,
  setBalanceEndpoint,
  setAccountLimitsEndpoint,
  setTermsEndpoint,
  forkAccountEndpoint,
  compareAccountsEndpoint,
  importAccountEndpoint,
  startMirrorEndpoint,
  showMirrorEndpoint,
  stopMirrorEndpoint,
  showDivergenceEndpoint,
  deleteAccountEndpoint,
  ...alertEndpoints,
  ...dashboardEndpoints,
  ...analyticsEndpoints,
  showAccountLimitsEndpoint,
  showTermsEndpoint,
  ...tearsheetEndpoints,
  groupEndpoint,
  exportEndpoint,
  ...billingEndpoints({ hasTestPayments }),
  ...(hasControl ? [controlEndpoint] : []),
  ...operatorEndpoints,
  ...adminEndpoints,
  ...(hasDashboard ? dashboardPageEndpoints : []),
  frontPageEndpoint,
  ...documentEndpoints,
];
