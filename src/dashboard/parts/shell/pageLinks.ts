// The pages that the shell leads to, in the order of its navigation.

export interface PageLink {
  readonly to: string;
  readonly name: string;
  /** The beginning of the addresses of its pages, where it differs from the link. */
  readonly below?: string;
  /** Where the line is too short for all, it is among the others. */
  readonly isRare?: true;
}

export const PAGE_LINKS: readonly PageLink[] = [
  { to: '/overview', name: 'Overview' },
  { to: '/markets', name: 'Markets' },
  { to: '/positions', name: 'Positions' },
  { to: '/orders', name: 'Orders' },
  { to: '/fills', name: 'Fills' },
  { to: '/performance', name: 'Performance' },
  { to: '/funding', name: 'Funding', isRare: true },
  { to: '/twaps', name: 'TWAPs', isRare: true },
  { to: '/keys', name: 'Keys' },
  { to: '/connect', name: 'Connect', isRare: true },
];

/** The links of the account's menu. */
export const ACCOUNT_LINKS: readonly (readonly [to: string, name: string])[] = [
  ['/group', 'All accounts'],
  ['/account', 'Account and security'],
  ['/billing', 'Plan and invoices'],
  ['/keys', 'API keys'],
  ['/alerts', 'Alerts'],
  ['/status', 'Status of the exchange'],
];
