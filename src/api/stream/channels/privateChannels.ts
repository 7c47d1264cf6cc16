// The list of channels about an account.

import type { PrivateParts } from '../account/rowStream.ts';
import type { Channel } from '../channel/channel.ts';
import { accountStates } from './account/accountStates.ts';
import { notification } from './account/notification.ts';
import { orderUpdates } from './account/orderUpdates.ts';
import { userEvents } from './account/userEvents.ts';
import { userFills } from './account/userFills.ts';
import { userFundings } from './account/userFundings.ts';
import { userHistoricalOrders } from './account/userHistoricalOrders.ts';
import { userNonFundingLedgerUpdates } from './account/userNonFundingLedgerUpdates.ts';
import { userTwapHistory } from './account/userTwapHistory.ts';
import { userTwapSliceFills } from './account/userTwapSliceFills.ts';

export const privateChannels = (parts: PrivateParts): Channel[] => [
  orderUpdates(parts),
  userEvents(parts),
  userFills(parts),
  userFundings(parts),
  userNonFundingLedgerUpdates(parts),
  userHistoricalOrders(parts),
  userTwapSliceFills(parts),
  userTwapHistory(parts),
  notification(parts),
  ...accountStates(parts),
];
