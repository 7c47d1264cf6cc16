// The contracts of all channels, for the published document. A test compares them with the channels that can be
// subscribed to.
import type { ChannelContract } from '../channel/channelContract.ts';
import { accountStateContracts } from './account/accountStates.ts';
import { notificationContract } from './account/notification.ts';
import { orderUpdatesContract } from './account/orderUpdates.ts';
import { userEventsContract } from './account/userEvents.ts';
import { userFillsContract } from './account/userFills.ts';
import { userFundingsContract } from './account/userFundings.ts';
import { userHistoricalOrdersContract } from './account/userHistoricalOrders.ts';
import { userNonFundingLedgerUpdatesContract } from './account/userNonFundingLedgerUpdates.ts';
import { userTwapHistoryContract } from './account/userTwapHistory.ts';
import { userTwapSliceFillsContract } from './account/userTwapSliceFills.ts';
import { activeAssetCtxContract } from './market/activeAssetCtx.ts';
import { allMidsContract } from './market/allMids.ts';
import { assetCtxsContracts } from './market/assetCtxs.ts';
import { bboContract } from './market/bbo.ts';
import { candleContract } from './market/candle.ts';
import { l2BookContract } from './market/l2Book.ts';
import { tradesContract } from './market/trades.ts';

export const publicContracts: readonly ChannelContract[] = [
  allMidsContract,
  l2BookContract,
  bboContract,
  tradesContract,
  candleContract,
  activeAssetCtxContract,
  ...assetCtxsContracts,
];

/** Their messages have `seq`. */
export const privateContracts: readonly ChannelContract[] = [
  orderUpdatesContract,
  userEventsContract,
  userFillsContract,
  userFundingsContract,
  userNonFundingLedgerUpdatesContract,
  userHistoricalOrdersContract,
  userTwapSliceFillsContract,
  userTwapHistoryContract,
  notificationContract,
  ...accountStateContracts,
];
