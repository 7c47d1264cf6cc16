// Types whose answer is always the same here: what the venue says when there are no builder dexs, no outcomes, no vaults,
// no staking, no agents (last column of wire-format 3.1 and 3.2). Clients ask some of them before anything else.
import { Type } from '@sinclair/typebox';
import { AddressText, absentOr, CoinText } from '../requestReader.ts';
import { accountType, DexField, type InfoType, marketType, requireMainDex } from './infoType.ts';

/** Largest value of a market order by max leverage of its asset, USD (trading-rules 1.5). */
const MARKET_ORDER_NOTIONALS = [
  [25, '30000000.0'],
  [20, '5000000.0'],
  [10, '2000000.0'],
  [1, '500000.0'],
];

const market = (type: string, answer: unknown): InfoType => marketType(type, {}, () => answer);
const account = (type: string, answer: unknown): InfoType => accountType(type, {}, () => answer);

export const fixedAnswers: readonly InfoType[] = [
  market('perpDexs', [null]),
  market('outcomeMeta', { outcomes: [], questions: [] }),
  market('maxMarketOrderNtls', MARKET_ORDER_NOTIONALS),
  market('perpDeployAuctionStatus', {
    startTimeSeconds: 0,
    durationSeconds: 0,
    startGas: '0.0',
    currentGas: '0.0',
    endGas: null,
  }),
  market('perpCategories', []),
  market('perpConciseAnnotations', []),
  market('liquidatable', []),
  marketType('perpAnnotation', { coin: CoinText }, () => null),
  marketType('perpDexLimits', { dex: DexField }, () => null),
  marketType('perpDexStatus', { dex: DexField }, (request) => {
    requireMainDex(request);
    return { totalNetDeposit: '0.0' };
  }),
  account('userAbstraction', 'default'),
  account('userDexAbstraction', null),
  accountType('maxBuilderFee', { builder: absentOr(AddressText) }, () => 0),
  account('approvedBuilders', []),
  account('extraAgents', []),
  account('subAccounts', null),
  account('subAccounts2', null),
  account('userVaultEquities', []),
  account('legalCheck', { ipAllowed: true, acceptedTerms: true, userAllowed: true, restrictions: 'n' }),
  account('isVip', false),
  accountType('preTransferCheck', { source: absentOr(Type.String({ maxLength: 64 })) }, () => ({
    fee: '0.0',
    isSanctioned: false,
    userExists: true,
    userHasSentTx: true,
  })),
  account('userToMultiSigSigners', null),
  account('delegatorSummary', {
    delegated: '0.0',
    undelegated: '0.0',
    totalPendingWithdrawal: '0.0',
    nPendingWithdrawals: 0,
  }),
  account('delegations', []),
  account('delegatorRewards', []),
  account('delegatorHistory', []),
  account('borrowLendUserState', { tokenToState: [], health: 'healthy', healthFactor: null }),
  account('spotClearinghouseState', { balances: [] }),
  account('userRole', { role: 'user' }),
];

/** Types of the venue that have no meaning for a perpetuals account: refused by name. */
export const outsideTypes: ReadonlySet<string> = new Set([
  'alignedQuoteTokenInfo',
  'allBorrowLendReserveStates',
  'blockDetails',
  'borrowLendReserveState',
  'gossipRootIps',
  'leadingVaults',
  'spotDeployState',
  'spotPairDeployAuctionStatus',
  'tokenDetails',
  'txDetails',
  'userBorrowLendInterest',
  'userDetails',
  'validatorL1Votes',
  'validatorSummaries',
  'vaultDetails',
  'vaultSummaries',
]);
