// The pages by address. The pages that a visit begins with are in the first script; the others come when they are first shown.
import type { ComponentType } from 'preact';
import { LastMarket, Login, NotFound, Welcome } from './pages/entrance.tsx';
import Overview from './pages/trading/Overview.tsx';
import { laterPage } from './parts/laterPage.tsx';

// biome-ignore lint/suspicious/noExplicitAny: each page reads the parameters that its own pattern has
type View = ComponentType<any>;

export interface Page {
  readonly View: View;
  /** Shown to visitors without a login, too. */
  readonly isOpen?: boolean;
}

/** Pages on the way to a session are one here, as are operators' pages: few see them, and nobody's first script has them. */
const Visitor = laterPage(() => import('./pages/VisitorPages.tsx'));
const VISITOR_PATHS = ['/register', '/forgot-password', '/reset-password', '/verify-email', '/enter'];
const Keys = laterPage(() => import('./pages/user/Keys.tsx'));
const Admin = laterPage(() => import('./pages/admin/AdminPages.tsx'));
const ADMIN_PATHS = [
  '/admin',
  ...['users', 'users/:id', 'invoices', 'discounts', 'shards', 'jobs', 'quarantine', 'audit'].map((name) => `/admin/${name}`),
];

/** By the pattern of the address, as `src/api/pages/pagePaths.ts` lists them. */
export const PAGES: ReadonlyMap<string, Page> = new Map([
  ['/', { View: Welcome, isOpen: true }],
  ['/login', { View: Login, isOpen: true }],
  ['/status', { View: laterPage(() => import('./pages/user/Status.tsx')), isOpen: true }],
  ['/journal', { View: laterPage(() => import('./pages/journal/Journal.tsx')), isOpen: true }],
  ['/connect', { View: laterPage(() => import('./pages/user/Connect.tsx')) }],
  ['/overview', { View: Overview }],
  ['/markets', { View: LastMarket }],
  ['/markets/:coin', { View: laterPage(() => import('./pages/market/MarketPage.tsx')) }],
  ['/positions', { View: laterPage(() => import('./pages/trading/Positions.tsx')) }],
  ['/orders', { View: laterPage(() => import('./pages/trading/Orders.tsx')) }],
  ['/orders/:oid', { View: laterPage(() => import('./pages/trading/OrderPage.tsx')) }],
  ['/fills', { View: laterPage(() => import('./pages/trading/Fills.tsx')) }],
  ['/fills/:tid', { View: laterPage(() => import('./pages/trading/FillPage.tsx')) }],
  ['/billing', { View: laterPage(() => import('./pages/user/Billing.tsx')) }],
  ['/account', { View: laterPage(() => import('./pages/account/Account.tsx')) }],
  ['/performance', { View: laterPage(() => import('./pages/results/Performance.tsx')) }],
  ['/tearsheet', { View: laterPage(() => import('./pages/results/Tearsheet.tsx')) }],
  ['/funding', { View: laterPage(() => import('./pages/results/Funding.tsx')) }],
  ['/twaps', { View: laterPage(() => import('./pages/results/Twaps.tsx')) }],
  ['/group', { View: laterPage(() => import('./pages/accounts/Accounts.tsx')) }],
  ['/group/compare', { View: laterPage(() => import('./pages/accounts/Compare.tsx')) }],
  ['/group/mirror', { View: laterPage(() => import('./pages/accounts/Mirror.tsx')) }],
  ['/alerts', { View: laterPage(() => import('./pages/user/Alerts.tsx')) }],
  ['/keys', { View: Keys }],
  ['/keys/:id', { View: Keys }],
  ...VISITOR_PATHS.map((path): [string, Page] => [path, { View: Visitor, isOpen: true }]),
  ...ADMIN_PATHS.map((path): [string, Page] => [path, { View: Admin }]),
]);

export const NOT_FOUND: Page = { View: NotFound, isOpen: true };
