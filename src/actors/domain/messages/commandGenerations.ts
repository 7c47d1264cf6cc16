// Which generation of forms brought each command and question. An API node sends none that an older pod of the same
// deployment would not know: the deployment's record says so, for it is raised when every pod does.
import type { Format } from '../../../shared/domain/formats.ts';
import type { AccountCommand, AccountQuery } from './command.ts';

const COMMANDS: { readonly [Type in Exclude<AccountCommand['type'], 'query'>]: Format } = {
  openAccount: 1,
  placeOrders: 1,
  cancelOrders: 1,
  modifyOrders: 1,
  updateLeverage: 1,
  updateIsolatedMargin: 1,
  topUpIsolatedMargin: 4,
  reserveRequests: 4,
  scheduleCancel: 1,
  startTwap: 1,
  cancelTwap: 1,
  topUp: 1,
  resetAccount: 1,
  setBalance: 1,
  creditPlan: 1,
  createSubAccount: 5,
  beginFork: 5,
  importAccount: 5,
  followAddress: 5,
  followSource: 5,
  unfollowAddress: 5,
  renameSubAccount: 5,
  sendTransfer: 5,
  receiveTransfer: 5,
  settleTransfer: 5,
  addMirror: 5,
  mirrored: 5,
  settleMirror: 5,
  setHouseRules: 5,
  setTerms: 5,
  closeAccount: 1,
  forgetHistory: 1,
  inLab: 5,
  noteLab: 5,
};

const QUESTIONS: { readonly [Kind in AccountQuery['kind']]: Format } = {
  accountState: 1,
  openOrders: 1,
  runningTwaps: 1,
  assetData: 1,
  orderStatus: 1,
  whyOpen: 1,
  ownBook: 4,
  delayedAction: 5,
  houseRules: 5,
  owedFunding: 4,
  dryRun: 4,
  summary: 1,
  overview: 1,
  subAccounts: 5,
  groupMember: 5,
  history: 1,
  entries: 1,
  accountView: 3,
};

/** Of a TWAP with a trigger or a stop price: an older pod would start it without them. */
const TWAP_PRICES: Format = 4;

/** The generation that a deployment has to be at before the command may be sent. */
export function generationOf(command: AccountCommand): Format {
  if (command.type === 'query') return QUESTIONS[command.query.kind];
  const hasPrices = command.type === 'startTwap' && (command.trigger !== undefined || command.stopPrice !== undefined);
  return hasPrices ? TWAP_PRICES : COMMANDS[command.type];
}
