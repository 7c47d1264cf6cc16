// The addresses of the dashboard's pages, as the contract names them. `src/dashboard/pages/pages.ts` shows them. Four more have a
// plain page where the dashboard is off, beside which they are named: `/`, `/billing`, `/reset-password`, `/verify-email`.

/** By the page's name in the contract. */
export const PAGE_PATHS = {
  loginPage: { path: '/login', summary: 'Logging in.' },
  registerPage: { path: '/register', summary: 'Making an account.' },
  forgotPasswordPage: { path: '/forgot-password', summary: 'Asking for a mail with a link to set a new password.' },
  enterPage: { path: '/enter', summary: 'Logging in by a one-time link of this machine.' },
  connectPage: { path: '/connect', summary: 'From an account to a connected bot.' },
  overviewPage: { path: '/overview', summary: 'The account at a glance.' },
  marketsPage: { path: '/markets', summary: 'The market that was looked at last.' },
  marketPage: { path: '/markets/:coin', summary: 'One market: chart, book, trades.' },
  positionsPage: { path: '/positions', summary: 'Open positions.' },
  ordersPage: { path: '/orders', summary: 'Open orders, and how earlier ones ended.' },
  orderPage: { path: '/orders/:oid', summary: 'The life of an order.' },
  fillsPage: { path: '/fills', summary: 'Fills.' },
  fillPage: { path: '/fills/:tid', summary: 'What a fill was made of.' },
  performancePage: { path: '/performance', summary: 'What trading came to.' },
  fundingPage: { path: '/funding', summary: 'Funding: pending, by coin, every payment.' },
  twapsPage: { path: '/twaps', summary: 'TWAPs and their slices.' },
  keysPage: { path: '/keys', summary: 'API keys.' },
  accountPage: { path: '/account', summary: 'Balance, password, second factor, sessions and audit list.' },
  statusPage: { path: '/status', summary: 'Whether the exchange works.' },
  adminPage: { path: '/admin', summary: 'The exchange, for operators.' },
  adminUsersPage: { path: '/admin/users', summary: 'Users, for operators.' },
  adminUserPage: { path: '/admin/users/:id', summary: 'A user, for operators.' },
  adminInvoicesPage: { path: '/admin/invoices', summary: 'Invoices, for operators.' },
  adminDiscountsPage: { path: '/admin/discounts', summary: 'Discount codes, for operators.' },
  adminShardsPage: { path: '/admin/shards', summary: 'Shards, for operators.' },
  adminJobsPage: { path: '/admin/jobs', summary: 'Jobs, for operators.' },
  adminQuarantinePage: { path: '/admin/quarantine', summary: 'Halted accounts and parked commands, for operators.' },
  adminAuditPage: { path: '/admin/audit', summary: 'What operators have looked at and done.' },
} as const;
