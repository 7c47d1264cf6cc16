// What every channel says, for the published document. A test holds it against the channels that can be subscribed to.
import type { ChannelContract } from './channelContract.ts';
import { accountStateContracts } from './channels/accountStates.ts';
import { activeAssetCtxContract } from './channels/activeAssetCtx.ts';
import { allMidsContract } from './channels/allMids.ts';
import { assetCtxsContracts } from './channels/assetCtxs.ts';
import { bboContract } from './channels/bbo.ts';
import { candleContract } from './channels/candle.ts';
import { l2BookContract } from './channels/l2Book.ts';
import { notificationContract } from './channels/notification.ts';
import { orderUpdatesContract } from './channels/orderUpdates.ts';
import { tradesContract } from './channels/trades.ts';
import { userEventsContract } from './channels/userEvents.ts';
import { userFillsContract } from './channels/userFills.ts';
import { userFundingsContract } from './channels/userFundings.ts';
import { userHistoricalOrdersContract } from './channels/userHistoricalOrders.ts';
import { userNonFundingLedgerUpdatesContract } from './channels/userNonFundingLedgerUpdates.ts';
import { userTwapHistoryContract } from './channels/userTwapHistory.ts';
import { userTwapSliceFillsContract } from './channels/userTwapSliceFills.ts';

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
