// The pages that the shell leads to, in the order of its navigation.

/** Address, name, and what the address begins with while one of its pages is shown, where that is something else. */
export const PAGE_LINKS: readonly (readonly [to: string, name: string, below?: string])[] = [
  ['/overview', 'Overview'],
  ['/markets', 'Markets'],
  ['/positions', 'Positions'],
  ['/orders', 'Orders'],
  ['/fills', 'Fills'],
  ['/performance', 'Performance'],
  ['/funding', 'Funding'],
  ['/twaps', 'TWAPs'],
  ['/keys', 'Keys'],
  ['/connect', 'Connect'],
];

/** What the account's menu leads to. */
export const ACCOUNT_LINKS: readonly (readonly [to: string, name: string])[] = [
  ['/group', 'All accounts'],
  ['/account', 'Account and security'],
  ['/billing', 'Plan and invoices'],
  ['/keys', 'API keys'],
  ['/status', 'Status of the exchange'],
];
