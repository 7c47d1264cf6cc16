// Types whose answer is always the same here: the venue's answer without outcomes, vaults, staking or
// agents (last column of wire-format 3.1 and 3.2). Some clients ask for them before anything else.

import { type TSchema, Type } from '@sinclair/typebox';
import { type AnswerFor, Count, exactly, WireDecimal, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { NothingIn, SpotState } from '../contract/venueForms.ts';
import { HEAVY_QUESTION, LIGHT_QUESTION } from '../domain/requestPrice.ts';
import { AddressText, absentOr, CoinText } from '../http/requestReader.ts';
import { ACCOUNT_FIELDS, type InfoType, marketType } from './infoType.ts';

/** Largest value of a market order by max leverage of its asset, USD (trading-rules 1.5). */
const MARKET_ORDER_NOTIONALS = [
  [25, '30000000.0'],
  [20, '5000000.0'],
  [10, '2000000.0'],
  [1, '500000.0'],
] as const;

const Nothing = named('Nothing', Type.Null());

/** A type with one answer for every caller. */
const market = <A extends TSchema>(type: string, about: string, answers: A, answer: AnswerFor<A>): InfoType =>
  marketType(type, { about, price: HEAVY_QUESTION, fields: {}, answers }, () => answer);
const account = <A extends TSchema>(type: string, about: string, answers: A, answer: AnswerFor<A>): InfoType =>
  marketType(type, { about, price: HEAVY_QUESTION, fields: ACCOUNT_FIELDS, answers }, () => answer);

export const fixedAnswers: readonly InfoType[] = [
  market('outcomeMeta', 'Outcome markets: none.', named('OutcomeMeta', exactly({ outcomes: NothingIn, questions: NothingIn })), {
    outcomes: [],
    questions: [],
  }),
  market(
    'maxMarketOrderNtls',
    'Largest value of a market order by max leverage: `[leverage, USD]`.',
    Type.Array(Type.Tuple([Count, WireDecimal])),
    MARKET_ORDER_NOTIONALS,
  ),
  market(
    'perpDeployAuctionStatus',
    'Auction of a new perp: none.',
    named(
      'PerpDeployAuctionStatus',
      exactly({
        startTimeSeconds: Count,
        durationSeconds: Count,
        startGas: WireDecimal,
        currentGas: WireDecimal,
        endGas: Type.Null(),
      }),
    ),
    { startTimeSeconds: 0, durationSeconds: 0, startGas: '0.0', currentGas: '0.0', endGas: null },
  ),
  market('perpCategories', 'Categories of perps: none.', NothingIn, []),
  market('perpConciseAnnotations', 'Annotations of perps: none.', NothingIn, []),
  market('liquidatable', 'Accounts about to be liquidated: none are shown.', NothingIn, []),
  marketType(
    'perpAnnotation',
    {
      about: 'Annotation of a perp: none.',
      price: HEAVY_QUESTION,
      fields: { coin: CoinText },
      answers: Nothing,
      example: { coin: 'BTC' },
    },
    () => null,
  ),
  account('userAbstraction', 'Kind of account.', named('AccountKind', words('default')), 'default'),
  account('userDexAbstraction', 'Dex abstraction: none.', Nothing, null),
  marketType(
    'maxBuilderFee',
    {
      about: 'Fee a builder may take: none.',
      price: HEAVY_QUESTION,
      fields: { ...ACCOUNT_FIELDS, builder: absentOr(AddressText) },
      answers: Type.Unsafe<0>(Type.Integer({ minimum: 0, maximum: 0 })),
      example: { builder: `0x${'22'.repeat(20)}` },
    },
    () => 0 as const,
  ),
  account('approvedBuilders', 'Builders that may take a fee: none.', NothingIn, []),
  account('extraAgents', 'Agents: none.', NothingIn, []),
  account('userVaultEquities', 'Shares of vaults: none.', NothingIn, []),
  account(
    'legalCheck',
    'Whether the account may trade.',
    named(
      'LegalCheck',
      exactly({
        acceptedTerms: Type.Boolean(),
        userAllowed: Type.Boolean(),
        restrictions: Type.String(),
      }),
    ),
    { acceptedTerms: true, userAllowed: true, restrictions: 'n' },
  ),
  account('isVip', 'Whether the account is a VIP: nobody is.', Type.Unsafe<false>(Type.Boolean()), false),
  marketType(
    'preTransferCheck',
    {
      about: 'What a transfer would cost.',
      price: HEAVY_QUESTION,
      fields: { ...ACCOUNT_FIELDS, source: described(absentOr(Type.String({ maxLength: 64 })), 'Accepted and not looked at.') },
      answers: named(
        'PreTransferCheck',
        exactly({
          fee: WireDecimal,
          isSanctioned: Type.Boolean(),
          userExists: Type.Boolean(),
          userHasSentTx: Type.Boolean(),
        }),
      ),
    },
    () => ({ fee: '0.0', isSanctioned: false, userExists: true, userHasSentTx: true }),
  ),
  account('userToMultiSigSigners', 'Signers of the account: one key.', Nothing, null),
  account(
    'delegatorSummary',
    'Staking: none.',
    named(
      'DelegatorSummary',
      exactly({
        delegated: WireDecimal,
        undelegated: WireDecimal,
        totalPendingWithdrawal: WireDecimal,
        nPendingWithdrawals: Count,
      }),
    ),
    { delegated: '0.0', undelegated: '0.0', totalPendingWithdrawal: '0.0', nPendingWithdrawals: 0 },
  ),
  account('delegations', 'Staking: none.', NothingIn, []),
  account('delegatorRewards', 'Staking: none.', NothingIn, []),
  account('delegatorHistory', 'Staking: none.', NothingIn, []),
  account(
    'borrowLendUserState',
    'Loans: none.',
    named('BorrowLendState', exactly({ tokenToState: NothingIn, health: Type.Literal('healthy'), healthFactor: Type.Null() })),
    { tokenToState: [], health: 'healthy', healthFactor: null },
  ),
  marketType(
    'spotClearinghouseState',
    { about: 'Spot balances: none.', price: LIGHT_QUESTION, fields: ACCOUNT_FIELDS, answers: SpotState },
    () => ({ balances: [] }),
  ),
];

/** Types of the venue that have no meaning for a perpetuals account: refused by name. */
export const outsideTypes: ReadonlySet<string> = new Set([
  'alignedQuoteTokenInfo',
  'allBorrowLendReserveStates',
  'blockDetails',
  'borrowLendReserveState',
  'gossipPriorityAuctionStatus',
  'gossipRootIps',
  'leadingVaults',
  'outcomeTemplates',
  'settledOutcome',
  'spotDeployState',
  'spotPairDeployAuctionStatus',
  'tokenDetails',
  'txDetails',
  'usdcRouting',
  'userBorrowLendInterest',
  'userDetails',
  'validatorL1Votes',
  'validatorSummaries',
  'vaultDetails',
  'vaultSummaries',
]);
