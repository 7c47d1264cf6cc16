// The response schemas that a client library ships for the venue, and a request of every type that has one.
import * as exchangeSchemas from 'nktkas-hyperliquid-0-30/api/exchange';
import * as infoSchemas from 'nktkas-hyperliquid-0-30/api/info';
import * as streamSchemas from 'nktkas-hyperliquid-0-30/api/subscription';
import { FORGIVEN } from './forgiven.ts';

/** The common interface of schema libraries (standardschema.dev), which the client's schemas have. */
interface Schema {
  readonly '~standard': {
    validate(value: unknown): { readonly issues?: readonly { readonly message: string; readonly path?: readonly PathItem[] }[] };
  };
}
type PathItem = PropertyKey | { readonly key: unknown };

const ADDRESS = '0x00000000000000000000000000000000000000aa';
export const CLOID = '0x1234567890abcdef1234567890abcdef';
const RECENT = { startTime: 1_700_000_000_000 };

/** A request of every type that the client has a schema for; `coin` and the like as a client would send them. */
export const requests: Readonly<Record<string, object>> = {
  activeAssetData: { coin: 'HYPE', user: ADDRESS },
  allMids: {},
  allPerpMetas: {},
  borrowLendUserState: {},
  candleSnapshot: { req: { coin: 'BTC', interval: '1h', ...RECENT } },
  clearinghouseState: {},
  delegations: {},
  delegatorHistory: {},
  delegatorRewards: {},
  delegatorSummary: {},
  exchangeStatus: {},
  extraAgents: {},
  frontendOpenOrders: {},
  fundingHistory: { coin: 'BTC', ...RECENT },
  historicalOrders: {},
  isVip: {},
  l2Book: { coin: 'HYPE' },
  legalCheck: {},
  liquidatable: {},
  marginTable: { id: 50 },
  maxBuilderFee: { builder: ADDRESS },
  maxMarketOrderNtls: {},
  meta: {},
  metaAndAssetCtxs: {},
  openOrders: {},
  orderStatus: { oid: CLOID },
  perpDeployAuctionStatus: {},
  perpDexLimits: { dex: '' },
  perpDexStatus: { dex: '' },
  perpDexs: {},
  perpsAtOpenInterestCap: {},
  portfolio: {},
  preTransferCheck: { source: ADDRESS },
  predictedFundings: {},
  recentTrades: { coin: 'HYPE' },
  referral: {},
  spotClearinghouseState: {},
  spotMeta: {},
  spotMetaAndAssetCtxs: {},
  subAccounts: {},
  subAccounts2: {},
  twapHistory: {},
  userDexAbstraction: {},
  userFees: {},
  userFills: {},
  userFillsByTime: RECENT,
  userFunding: {},
  userNonFundingLedgerUpdates: {},
  userRateLimit: {},
  userRole: {},
  userToMultiSigSigners: {},
  userTwapSliceFills: {},
  userTwapSliceFillsByTime: RECENT,
  userVaultEquities: {},
  webData2: { user: ADDRESS },
};

/** Requests of the types that the client learned after it gave up its schemas. */
export const newerRequests: Readonly<Record<string, object>> = {
  approvedBuilders: {},
  outcomeMeta: {},
  perpAnnotation: { coin: 'HYPE' },
  perpCategories: {},
  perpConciseAnnotations: {},
  userAbstraction: {},
};

/** These the client asks the chain's explorer, at another address than the API's. */
export const EXPLORER_TYPES: readonly string[] = ['blockDetails', 'txDetails', 'userDetails'];

/** Complaints of a schema about an answer, without forgiven complaints. */
export const complaints = (endpoint: 'info' | 'exchange', type: string, answer: unknown): string[] =>
  complaintsOf(schemaOf(endpoint === 'info' ? infoSchemas : exchangeSchemas, `${type}Response`), answer);

/** The same about the data of a message of a subscription. */
export const streamComplaints = (type: string, data: unknown): string[] =>
  complaintsOf(schemaOf(streamSchemas, `${type}Event`), data);

function complaintsOf(schema: Schema, answer: unknown): string[] {
  const { issues = [] } = schema['~standard'].validate(JSON.parse(JSON.stringify(answer)));
  return issues
    .map(({ message, path = [] }) => ({ message, place: path.map((item) => String(typeof item === 'object' ? item.key : item)) }))
    .filter(({ place }) => !(place.at(-1) ?? '').split('.').some((field) => field in FORGIVEN))
    .filter(({ message }) => !Object.keys(FORGIVEN).some((value) => message.endsWith(`received "${value}"`)))
    .map(({ message, place }) => `${place.join('.')}: ${message}`);
}

const schemaOf = (schemas: object, name: string): Schema => {
  const schema = (schemas as Record<string, Schema>)[`${name[0]?.toUpperCase()}${name.slice(1)}`];
  if (!schema) throw new Error(`the client has no schema for ${name}`);
  return schema;
};
