// The `info` endpoint: finds the type and lets it answer. Knows nothing of HTTP, so a WebSocket post comes the same way.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { Call, Services } from '../call.ts';
import { compileReader, quoted, unreadable } from '../requestReader.ts';
import { activeAssetData } from './activeAssetData.ts';
import { allMids } from './allMids.ts';
import { candleSnapshot, candles } from './candles.ts';
import { clearinghouseState } from './clearinghouseState.ts';
import { exchangeStatus } from './exchangeStatus.ts';
import { explainFill } from './explainFill.ts';
import { explainOrder } from './explainOrder.ts';
import { userFills, userFillsByTime } from './fills.ts';
import { fixedAnswers, outsideTypes } from './fixedAnswers.ts';
import { fundingHistory } from './fundingHistory.ts';
import { historicalOrders } from './historicalOrders.ts';
import type { InfoType } from './infoType.ts';
import { l2Book } from './l2Book.ts';
import { allPerpMetas, marginTable, meta, metaAndAssetCtxs } from './meta.ts';
import { frontendOpenOrders, openOrders } from './openOrders.ts';
import { orderStatus } from './orderStatus.ts';
import { portfolio } from './portfolio.ts';
import { recentTrades } from './recentTrades.ts';
import { referral } from './referral.ts';
import { twapHistory, userTwapHistory, userTwapSliceFills, userTwapSliceFillsByTime } from './twaps.ts';
import { perpsAtOpenInterestCap, predictedFundings, spotMeta, spotMetaAndAssetCtxs } from './upstreamTypes.ts';
import { userFees } from './userFees.ts';
import { userFunding } from './userFunding.ts';
import { userNonFundingLedgerUpdates } from './userNonFundingLedgerUpdates.ts';
import { userRateLimit } from './userRateLimit.ts';
import { webData2 } from './webData2.ts';

const types: ReadonlyMap<string, InfoType> = new Map(
  [
    ...fixedAnswers,
    activeAssetData,
    allMids,
    allPerpMetas,
    candleSnapshot,
    candles,
    clearinghouseState,
    exchangeStatus,
    explainFill,
    explainOrder,
    frontendOpenOrders,
    fundingHistory,
    historicalOrders,
    l2Book,
    marginTable,
    meta,
    metaAndAssetCtxs,
    openOrders,
    orderStatus,
    perpsAtOpenInterestCap,
    portfolio,
    predictedFundings,
    recentTrades,
    referral,
    spotMeta,
    spotMetaAndAssetCtxs,
    twapHistory,
    userFees,
    userFills,
    userFillsByTime,
    userFunding,
    userNonFundingLedgerUpdates,
    userRateLimit,
    userTwapHistory,
    userTwapSliceFills,
    userTwapSliceFillsByTime,
    webData2,
  ].map((info) => [info.type, info]),
);

const readType = compileReader(Type.Object({ type: Type.String({ expected: 'a string' }) }, { expected: 'a JSON object' }));

/** All types that are answered, for the published contract. */
export const allInfoTypes = (): InfoType[] => [...types.values()];

/** Names of the types that are answered, for tests and docs. */
export const infoTypes = (): string[] => [...types.keys()];

/**
 * Answers one question about the market or the caller's account.
 * @returns the venue's answer, bare
 * @throws {RequestError} 400 for a body that cannot be read or an unknown type; the parts' errors otherwise
 */
export async function answerInfo(body: unknown, call: Call, services: Services): Promise<unknown> {
  const { type } = readType(body);
  const info = types.get(type);
  if (info) return info.answer(body, call, services);
  if (outsideTypes.has(type)) {
    throw new RequestError(400, 'not_offered', `Info type ${type} has no meaning for a perpetuals paper account.`);
  }
  throw unreadable(`unknown info type ${quoted(type)}`);
}
