// Actions of the venue that are refused by name, so that a bot learns that the action is known and not offered, and
// does not take its request for malformed.

/** Outside a paper account: money transfers, agents, vaults, staking, deployers, validators (wire-format 4.7). */
export const refusedTypes: readonly string[] = [
  'CSignerAction',
  'CValidatorAction',
  'activateOutcomeDeployer',
  'agentEnableDexAbstraction',
  'agentSendAsset',
  'agentSetAbstraction',
  'authorizeAqav2Role',
  'borrowLend',
  'cDeposit',
  'cWithdraw',
  'claimRewards',
  'convertToMultiSigUser',
  'createVault',
  'evmUserModify',
  'finalizeEvmContract',
  'gossipPriorityBid',
  'hip3LiquidatorTransfer',
  'linkStakingUser',
  'multiSig',
  'perpDeploy',
  'registerReferrer',
  'sendAsset',
  'sendToEvmWithData',
  'setDisplayName',
  'spotDeploy',
  'spotSend',
  'spotUser',
  'stakingLinkDisableTradingUser',
  'subAccountSpotTransfer',
  'tokenDelegate',
  'usdSend',
  'userDexAbstraction',
  'userOutcome',
  'userPortfolioMargin',
  'userSetAbstraction',
  'validatorL1Stream',
  'vaultDistribute',
  'vaultModify',
  'vaultTransfer',
  'withdraw3',
];

const REFUSALS: ReadonlyMap<string, string> = new Map([
  ...refusedTypes.map((type) => [type, `Action ${type} is not available on a paper trading account.`] as const),
]);

/** @returns why a known action is never run, or undefined for an unknown one */
export const findRefusal = (type: string): string | undefined => REFUSALS.get(type);
