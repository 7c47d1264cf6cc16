// Actions of the venue that do nothing here. Stock clients send some of them in passing: no wallet, agent or referrer counts, no builder is
// paid and no nonce is kept. They answer ok, so that the client goes on. The others are refused by name.
import { Type } from '@sinclair/typebox';
import { Done, Refused } from './actionAnswers.ts';
import { actionType, DONE, refusal } from './actionType.ts';

const TYPES = ['approveAgent', 'approveBuilderFee', 'noop', 'setReferrer'] as const;

/** One action each; other fields are ignored. */
export const okWithoutEffect = TYPES.map((type) =>
  actionType({
    type,
    price: 'one',
    about: 'Accepted and without effect.',
    schema: Type.Object({ type: Type.Literal(type) }),
    answers: Done,
    example: { type },
    run: () => DONE,
  }),
);

// `usdClassTransfer`: moves USD between spot and perps at the venue. There is no spot balance here, so the transfer
// is always refused.

export const usdClassTransfer = actionType({
  type: 'usdClassTransfer',
  price: 'one',
  about: 'Between spot and perps: there is no spot balance here, so it is always refused.',
  answers: Refused,
  example: { type: 'usdClassTransfer' },
  schema: Type.Object({ type: Type.Literal('usdClassTransfer') }),
  run: () => refusal('Insufficient balance for token transfer.'),
});

// Refused by name, so that a bot learns that the action is known and not offered, and does not take its request for malformed.

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
