// Recordings that no answer of this exchange can match, with the reason.
export const NOT_REPRODUCIBLE: Readonly<Record<string, string>> = {
  'exchange.order.err-unknownWallet': 'There are no wallets: the API key says who is asking, and a wrong key is a 401.',
  'info.delegatorHistory': 'There is no staking: the list is always empty.',
  'info.extraAgents': 'There are no agents: the list is always empty.',
  'info.spotClearinghouseState': 'There is no spot trading: `balances` is always empty.',
  'info.userFills.liquidation-builder': 'No builder is ever charged, so no fill has a `builderFee`.',
  'info.userNonFundingLedgerUpdates':
    'A paper account has deposits, withdrawals and liquidations only: there is no spot side to transfer with.',
  'info.userVaultEquities': 'There are no vaults: the list is always empty.',
  'ws.userEvents.fill-liquidation':
    'It is the fill of a liquidated user’s counterparty: accounts do not trade with each other here.',
};

/** Fields of old recordings that the venue itself has given up since. */
export const GIVEN_UP: Readonly<Record<string, readonly string[]>> = {
  'info.clearinghouseState.2023': ['maxTradeSzs'],
};
