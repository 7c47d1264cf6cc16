// The pages by address. Those that a visit begins with are in the first script; the others come when they are first shown.
import type { ComponentType } from 'preact';
import { laterPage } from '../parts/laterPage.tsx';
import { Login } from './entrance/Login.tsx';
import { NotFound } from './entrance/NotFound.tsx';
import { Welcome } from './entrance/Welcome.tsx';
import { LastMarket } from './market/LastMarket.tsx';
import Overview from './trading/Overview.tsx';

// biome-ignore lint/suspicious/noExplicitAny: each page reads the parameters that its own pattern has
type View = ComponentType<any>;

export interface Page {
  readonly View: View;
  /** Shown to those who are not logged in, too. */
  readonly isOpen?: boolean;
}

/** Pages on the way to a session are one here, as are operators' pages: few see them, and nobody's first script has them. */
const Visitor = laterPage(() => import('./entrance/VisitorPages.tsx'));
const VISITOR_PATHS = ['/register', '/forgot-password', '/reset-password', '/verify-email', '/enter'];
const Keys = laterPage(() => import('./user/Keys.tsx'));
const Admin = laterPage(() => import('./admin/AdminPages.tsx'));
const ADMIN_PATHS = [
  '/admin',
  ...['users', 'users/:id', 'invoices', 'discounts', 'shards', 'jobs', 'quarantine', 'audit'].map((name) => `/admin/${name}`),
];

/** By the pattern of the address, as `src/api/pages/pagePaths.ts` lists them. */
export const PAGES: ReadonlyMap<string, Page> = new Map([
  ['/', { View: Welcome, isOpen: true }],
  ['/login', { View: Login, isOpen: true }],
  ['/status', { View: laterPage(() => import('./user/Status.tsx')), isOpen: true }],
  ['/journal', { View: laterPage(() => import('./journal/Journal.tsx')), isOpen: true }],
  ['/connect', { View: laterPage(() => import('./user/Connect.tsx')) }],
  ['/overview', { View: Overview }],
  ['/markets', { View: LastMarket }],
  ['/markets/:coin', { View: laterPage(() => import('./market/MarketPage.tsx')) }],
  ['/positions', { View: laterPage(() => import('./trading/Positions.tsx')) }],
  ['/orders', { View: laterPage(() => import('./trading/Orders.tsx')) }],
  ['/orders/:oid', { View: laterPage(() => import('./trading/OrderPage.tsx')) }],
  ['/fills', { View: laterPage(() => import('./trading/Fills.tsx')) }],
  ['/fills/:tid', { View: laterPage(() => import('./trading/FillPage.tsx')) }],
  ['/billing', { View: laterPage(() => import('./user/billing/Billing.tsx')) }],
  ['/account', { View: laterPage(() => import('./user/account/Account.tsx')) }],
  ['/performance', { View: laterPage(() => import('./results/Performance.tsx')) }],
  ['/tearsheet', { View: laterPage(() => import('./results/Tearsheet.tsx')) }],
  ['/funding', { View: laterPage(() => import('./results/Funding.tsx')) }],
  ['/twaps', { View: laterPage(() => import('./results/Twaps.tsx')) }],
  ['/group', { View: laterPage(() => import('./group/Group.tsx')) }],
  ['/group/compare', { View: laterPage(() => import('./group/Compare.tsx')) }],
  ['/group/mirror', { View: laterPage(() => import('./group/Mirror.tsx')) }],
  ['/alerts', { View: laterPage(() => import('./user/alerts/Alerts.tsx')) }],
  ['/keys', { View: Keys }],
  ['/keys/:id', { View: Keys }],
  ...VISITOR_PATHS.map((path): [string, Page] => [path, { View: Visitor, isOpen: true }]),
  ...ADMIN_PATHS.map((path): [string, Page] => [path, { View: Admin }]),
]);

export const NOT_FOUND: Page = { View: NotFound, isOpen: true };
