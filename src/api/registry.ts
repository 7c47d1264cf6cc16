// Every endpoint, in the order of the published contract. The server mounts them, admission asks for their prices, and the documents
// describe them. Only a role loads the list.

import { alertEndpoints } from '../features/alerts/endpoints.ts';
import { resetAccountEndpoint } from './account/resetAccount.ts';
import { setBalanceEndpoint } from './account/setBalance.ts';
import { topUpEndpoint } from './account/topUp.ts';
import { adminEndpoints } from './admin/adminEndpoints.ts';
import type { ApiParts } from './apiParts.ts';
import { auditEndpoint } from './auth/audit.ts';
import { endBrowserSessionEndpoint } from './auth/browser/endBrowserSession.ts';
import { openBrowserSessionEndpoint } from './auth/browser/openBrowserSession.ts';
import { openLinkedSessionEndpoint } from './auth/browser/openLinkedSession.ts';
import { refreshBrowserSessionEndpoint } from './auth/browser/refreshBrowserSession.ts';
import { resendVerificationEndpoint } from './auth/email/resendVerification.ts';
import { verifyEmailEndpoint } from './auth/email/verifyEmail.ts';
import { verifyPageEndpoint } from './auth/email/verifyPage.ts';
import { changeApiKeyEndpoint } from './auth/keys/changeApiKey.ts';
import { createApiKeyEndpoint } from './auth/keys/createApiKey.ts';
import { endLabEndpoint } from './auth/keys/lab/endLab.ts';
import { setLabEndpoint } from './auth/keys/lab/setLab.ts';
import { showLabEndpoint } from './auth/keys/lab/showLab.ts';
import { listApiKeysEndpoint } from './auth/keys/listApiKeys.ts';
import { revokeApiKeyEndpoint } from './auth/keys/revokeApiKey.ts';
import { rotateApiKeyEndpoint } from './auth/keys/rotateApiKey.ts';
import { changePasswordEndpoint } from './auth/password/changePassword.ts';
import { forgotPasswordEndpoint } from './auth/password/forgotPassword.ts';
import { resetPageEndpoint } from './auth/password/resetPage.ts';
import { resetPasswordEndpoint } from './auth/password/resetPassword.ts';
import { beginTotpEndpoint } from './auth/secondFactor/beginTotp.ts';
import { confirmTotpEndpoint } from './auth/secondFactor/confirmTotp.ts';
import { endTotpEndpoint } from './auth/secondFactor/endTotp.ts';
import { renewRecoveryCodesEndpoint } from './auth/secondFactor/renewRecoveryCodes.ts';
import { showTotpEndpoint } from './auth/secondFactor/showTotp.ts';
import { deleteAccountEndpoint } from './auth/session/deleteAccount.ts';
import { endOtherSessionsEndpoint } from './auth/session/endOtherSessions.ts';
import { endSessionEndpoint } from './auth/session/endSession.ts';
import { listSessionsEndpoint } from './auth/session/listSessions.ts';
import { loginEndpoint } from './auth/session/login.ts';
import { logoutEndpoint } from './auth/session/logout.ts';
import { meEndpoint } from './auth/session/me.ts';
import { refreshEndpoint } from './auth/session/refresh.ts';
import { registerEndpoint } from './auth/session/register.ts';
import { applyDiscountEndpoint } from './billing/applyDiscount.ts';
import { cancelSubscriptionEndpoint } from './billing/cancelSubscription.ts';
import { listInvoicesEndpoint } from './billing/listInvoices.ts';
import { listPlansEndpoint } from './billing/listPlans.ts';
import { billingPageEndpoint } from './billing/pages/billingPage.ts';
import { payTestPaymentEndpoint, showTestPaymentEndpoint } from './billing/pages/testPayment.ts';
import { showSubscriptionEndpoint } from './billing/showSubscription.ts';
import { stripeWebhookEndpoint } from './billing/stripeWebhook.ts';
import { subscribeEndpoint } from './billing/subscribe.ts';
import { compareAccountsEndpoint } from './compare/compareAccounts.ts';
import { controlEndpoint } from './control/control.ts';
import { dashboardEndpoints } from './dashboard/dashboardEndpoints.ts';
import { showDivergenceEndpoint } from './divergence/showDivergence.ts';
import { documentEndpoints } from './documents/documentEndpoints.ts';
import { frontPageEndpoint } from './documents/frontPage.ts';
import { exchangeEndpoint, infoEndpoint } from './documents/tradingContract.ts';
import { forkAccountEndpoint } from './fork/forkAccount.ts';
import type { MountedEndpoint } from './http/endpoint.ts';
import { importAccountEndpoint } from './import/importAccount.ts';
import { mcpEndpoint } from './mcp/mcpEndpoint.ts';
import { showMirrorEndpoint } from './mirror/showMirror.ts';
import { startMirrorEndpoint } from './mirror/startMirror.ts';
import { stopMirrorEndpoint } from './mirror/stopMirror.ts';
import { operatorEndpoints } from './operations/operators.ts';
import { dashboardPageEndpoints } from './pages/pageEndpoints.ts';
import { setHouseRulesEndpoint } from './rules/setHouseRules.ts';
import { streamEndpoint } from './stream/streamEndpoint.ts';
import { setTermsEndpoint } from './terms/setTerms.ts';

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
  setHouseRulesEndpoint,
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
  listPlansEndpoint,
  showSubscriptionEndpoint,
  subscribeEndpoint,
  listInvoicesEndpoint,
  applyDiscountEndpoint,
  cancelSubscriptionEndpoint,
  stripeWebhookEndpoint,
  billingPageEndpoint,
  ...(hasTestPayments ? [showTestPaymentEndpoint, payTestPaymentEndpoint] : []),
  ...(hasControl ? [controlEndpoint] : []),
  ...operatorEndpoints,
  ...adminEndpoints,
  ...(hasDashboard ? dashboardPageEndpoints : []),
  frontPageEndpoint,
  ...documentEndpoints,
];
