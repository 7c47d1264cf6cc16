// All channels about an account.
import type { Channel } from './channel.ts';
import { accountStates } from './channels/accountStates.ts';
import { notification } from './channels/notification.ts';
import { orderUpdates } from './channels/orderUpdates.ts';
import { userEvents } from './channels/userEvents.ts';
import { userFills } from './channels/userFills.ts';
import { userFundings } from './channels/userFundings.ts';
import { userHistoricalOrders } from './channels/userHistoricalOrders.ts';
import { userNonFundingLedgerUpdates } from './channels/userNonFundingLedgerUpdates.ts';
import { userTwapHistory } from './channels/userTwapHistory.ts';
import { userTwapSliceFills } from './channels/userTwapSliceFills.ts';
import type { PrivateParts } from './private/rowStream.ts';

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
