// Where a bot that is written for the venue meets something else here, in a sentence each, for readers of /llms.txt. Each names
// the row of docs/compatibility.md, section 5, that says it in full; a test compares them.

export interface Difference {
  /** How the row begins there. */
  readonly row: string;
  readonly text: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    row: '`nonce`, `signature`',
    text: 'The API key says who is asking: signatures and nonces are not checked.',
  },
  {
    row: '`user` in requests',
    text: 'Any `user` may be asked for; for an address that is none of the user’s accounts the account of the key answers.',
  },
  {
    row: '`vaultAddress`',
    text: '`vaultAddress` names a sub-account of the user; there are no vaults.',
  },
  {
    row: 'price `"0"` with `Ioc` or `FrontendMarket`',
    text: 'A price of `"0"` with `Ioc` is a market order; the venue refuses it.',
  },
  {
    row: 'the same liquidity twice',
    text: 'Orders fill against the real book, which they do not move; what an account has taken of a level stays taken for it.',
  },
  {
    row: 'assets that cannot be traded',
    text: 'Perpetuals of the main dex can be traded; orders for spot pairs, builders’ perpetuals and outcomes are refused by name.',
  },
  { row: '`hash` of fills, payments, ledger rows', text: 'There is no chain: hashes are zeros.' },
  {
    row: 'address limit',
    text: 'Requests are limited by the key’s plan (`X-RateLimit-*`, 429 with `Retry-After`), not by the address’s volume.',
  },
  {
    row: '`approveAgent`, `approveBuilderFee`, `noop`',
    text: 'Actions about agents, builders and referrers are answered ok and have no effect.',
  },
  {
    row: 'other actions of the venue',
    text: 'Transfers to others, vaults and staking are refused, with status 200 and `{"status":"err"}`.',
  },
  { row: 'liquidation', text: 'There is no auto-deleveraging: what the book does not take, the house does.' },
];
