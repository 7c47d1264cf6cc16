// The `info` endpoint: finds the type and lets it answer. It does not depend on HTTP, so a WebSocket post uses it
// too.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { Call, Services } from '../accounts/services.ts';
import { HEAVY_QUESTION, type Price, priceOfQuestion, type QuestionPrice, weightOfAnswer } from '../domain/requestPrice.ts';
import { compileReader, quoted, unreadable } from '../http/requestReader.ts';
import { candleSnapshot, candles } from './candles.ts';
import { activeAssetData, clearinghouseState } from './clearinghouseState.ts';
import { explainBook, explainFill, explainFunding } from './explain.ts';
import { explainOrder } from './explainOrder.ts';
import { userFills, userFillsByTime } from './fills.ts';
import { fixedAnswers, outsideTypes } from './fixedAnswers.ts';
import type { InfoType } from './infoType.ts';
import { l2Book } from './l2Book.ts';
import { userFunding, userNonFundingLedgerUpdates } from './ledger.ts';
import { allMids, exchangeStatus, fundingHistory, recentTrades } from './market.ts';
import { allPerpMetas, marginTable, meta, metaAndAssetCtxs } from './meta.ts';
import { frontendOpenOrders, historicalOrders, openOrders, orderStatus } from './orders.ts';
import { portfolio } from './portfolio.ts';
import { twapHistory, userTwapHistory, userTwapSliceFills, userTwapSliceFillsByTime } from './twaps.ts';
import { referral, subAccounts, subAccounts2, userRateLimit, userRole } from './user.ts';
import { userFees } from './userFees.ts';
import {
  perpDexLimits,
  perpDexStatus,
  perpDexs,
  perpsAtOpenInterestCap,
  predictedFundings,
  spotMeta,
  spotMetaAndAssetCtxs,
} from './venueOnly.ts';
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
    explainBook,
    explainFunding,
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
    perpDexLimits,
    perpDexStatus,
    perpDexs,
    perpsAtOpenInterestCap,
    portfolio,
    predictedFundings,
    recentTrades,
    referral,
    spotMeta,
    spotMetaAndAssetCtxs,
    subAccounts,
    subAccounts2,
    twapHistory,
    userFees,
    userFills,
    userFillsByTime,
    userFunding,
    userNonFundingLedgerUpdates,
    userRateLimit,
    userRole,
    userTwapHistory,
    userTwapSliceFills,
    userTwapSliceFillsByTime,
    webData2,
  ].map((info) => [info.type, info]),
);

const readType = compileReader(Type.Object({ type: Type.String({ expected: 'a string' }) }, { expected: 'a JSON object' }));

/** All types that are answered, for the published contract. */
export const allInfoTypes = (): InfoType[] => [...types.values()];

/** @param body of an `info` request, not yet checked */
export const priceOfInfo = (body: unknown, bytes: number): Price => priceOfQuestion(questionPriceOf(body), bytes);

/** The further weight of a long answer, 0 for a short one. */
export const weightOfRows = (body: unknown, answer: unknown): number => weightOfAnswer(questionPriceOf(body), answer);

/** An unknown type costs what a heavy question costs. */
function questionPriceOf(body: unknown): QuestionPrice {
  const type = typeof body === 'object' && body !== null ? (body as { readonly type?: unknown }).type : undefined;
  return (typeof type === 'string' ? types.get(type)?.price : undefined) ?? HEAVY_QUESTION;
}

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
