// The contents of each plan (specification 2 and 8). Requests per minute are configuration, so that a load test can
// raise them.

export type Plan = 'basic' | 'pro';

export interface PlanTerms {
  readonly apiKeysMax: number;
  /** Sub-accounts beside the master account. A user who has more from another plan keeps them. */
  readonly subAccountsMax: number;
  /** Addresses of the venue that the user's sub-accounts follow at a time. */
  readonly mirrorsMax: number;
  /** Balance of a new or reset account, USD as decimal text. */
  readonly balanceUsd: string;
  /** The price of a month, US cents. */
  readonly monthCents: number;
  /** Days for which history is kept. */
  readonly historyDays: number;
  /** Compressed bytes of the archive of one account: about 130 an order. Past them its oldest entries go. */
  readonly archiveBytes: number;
}

const MEBIBYTE = 1024 * 1024;

export const plans: Readonly<Record<Plan, PlanTerms>> = {
  basic: {
    apiKeysMax: 5,
    subAccountsMax: 10,
    mirrorsMax: 1,
    balanceUsd: '10000',
    monthCents: 2000,
    historyDays: 30,
    archiveBytes: 64 * MEBIBYTE,
  },
  pro: {
    apiKeysMax: 10,
    subAccountsMax: 50,
    mirrorsMax: 3,
    balanceUsd: '100000',
    monthCents: 3000,
    historyDays: 90,
    archiveBytes: 256 * MEBIBYTE,
  },
};

/** The most that any plan allows. */
export const SUB_ACCOUNTS_MAX = Math.max(...Object.values(plans).map(({ subAccountsMax }) => subAccountsMax));

/** The balance of a new account, whatever its plan becomes: 10,000 USD (specification 2). */
export const OPENING_BALANCE_USD = plans.basic.balanceUsd;
