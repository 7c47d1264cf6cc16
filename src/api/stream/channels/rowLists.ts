// Channels that begin with the newest rows of an account, oldest first, and go on with each row as it comes. They show fills, TWAPs, orders,
// funding payments, and other movements of money.
import { type TSchema, Type } from '@sinclair/typebox';
import type { FundingRow, HistoryKind, HistoryRows } from '../../../actors/core/messages/historyRows.ts';
import type { Services } from '../../accounts/services.ts';
import { Address, exactly } from '../../contract/answerValues.ts';
import { HEAVIEST } from '../../domain/requestPrice.ts';
import { toStatusChange } from '../../domain/wireOrders.ts';
import { absentOr } from '../../http/requestReader.ts';
import { latestRows } from '../../info/accountRows.ts';
import { FILLS_MAX, toWireFills, userFills as userFillsInfo } from '../../info/fills.ts';
import {
  FlatPayment,
  toWirePayment,
  toWireUpdate,
  userNonFundingLedgerUpdates as userNonFundingLedgerUpdatesInfo,
} from '../../info/ledger.ts';
import { CHANGES_MAX, historicalOrders } from '../../info/orders.ts';
import {
  TWAP_ROWS_MAX,
  toChange,
  toSliceFill,
  userTwapHistory as userTwapHistoryInfo,
  userTwapSliceFills as userTwapSliceFillsInfo,
} from '../../info/twaps.ts';
import { rowsOfKind } from '../account/accountFeeds.ts';
import { type AccountSubscription, accountReader, addressOf } from '../account/accountSubscription.ts';
import { type MessageContext, type PrivateParts, rowStream } from '../account/rowStream.ts';
import { type ChannelEntry, channel, type SubscriptionReader } from '../channel/channel.ts';

interface RowList<S extends AccountSubscription, K extends HistoryKind> {
  readonly about: string;
  readonly kind: K;
  /** Rows in the first message. */
  readonly limit: number;
  /** Field of a message that has the rows, and its schema. */
  readonly field: string;
  readonly schema: TSchema;
  /** @param rows oldest first */
  readonly show: (rows: readonly HistoryRows[K][], context: MessageContext<S>) => readonly unknown[];
}

function rowList<S extends AccountSubscription, K extends HistoryKind>(
  read: SubscriptionReader<S>,
  { about, kind, limit, field, schema, show }: RowList<S, K>,
): ChannelEntry<PrivateParts> {
  const message = exactly({ isSnapshot: Type.Optional(Type.Literal(true)), user: Address, [field]: schema });
  const serve = (parts: PrivateParts) =>
    rowStream<S>(
      {
        kinds: [kind],
        snapshot: async (subscription, call, services) => {
          const rows = (await latestRows(call, services, { kind, limit })).toReversed();
          const [user, { accountId }] = [addressOf(subscription, call), call.caller];
          return { isSnapshot: true, user, [field]: show(rows, { subscription, user, accountId, services }) };
        },
        messages: (update, context) => {
          const shown = show(rowsOfKind(update, kind), context);
          return shown.length === 0 ? [] : [{ user: context.user, [field]: shown }];
        },
      },
      parts,
    );
  return channel(read, { about, messages: { [read.type]: message }, weight: HEAVIEST, serve });
}

const AggregateField = absentOr(Type.Boolean({ expected: 'a boolean' }));

/** With `aggregateByTime` a fill has all parts of one taking order. */
export const userFills = rowList(accountReader('userFills', { aggregateByTime: AggregateField }, { aggregateByTime: false }), {
  about: 'Executions: the newest 2,000 at once, oldest first, then each as it happens.',
  ...{ kind: 'fills', limit: FILLS_MAX, field: 'fills', schema: userFillsInfo.answers },
  show: (rows, { subscription: { aggregateByTime }, user }) =>
    toWireFills(rows, { newestFirst: false, aggregate: aggregateByTime === true, user }),
});

export const userTwapHistory = rowList(accountReader('userTwapHistory', {}), {
  about: 'Changes of TWAPs: the newest 2,000 at once, oldest first, then each as it happens.',
  ...{ kind: 'twaps', limit: TWAP_ROWS_MAX, field: 'history', schema: userTwapHistoryInfo.answers },
  show: (rows, { user }) => rows.map((row) => toChange(row, user)),
});

export const userTwapSliceFills = rowList(accountReader('userTwapSliceFills', {}), {
  about: 'Executions of TWAP slices: the newest 2,000 at once, oldest first, then each as it happens.',
  ...{ kind: 'twapFills', limit: TWAP_ROWS_MAX, field: 'twapSliceFills', schema: userTwapSliceFillsInfo.answers },
  show: (rows) => rows.map(toSliceFill),
});

export const userHistoricalOrders = rowList(accountReader('userHistoricalOrders', {}), {
  about: 'Status changes of orders: the newest 2,000 at once, oldest first, then each as it happens.',
  ...{ kind: 'orders', limit: CHANGES_MAX, field: 'orderHistory', schema: historicalOrders.answers },
  show: (rows) => rows.map(toStatusChange),
});

/** As many as the info types `userFunding` and `userNonFundingLedgerUpdates` answer. */
const MONEY_ROWS = 500;

export const userFundings = rowList(accountReader('userFundings', {}), {
  about: 'Funding payments: the newest at once, oldest first, then each as it is settled.',
  ...{ kind: 'funding', limit: MONEY_ROWS, field: 'fundings', schema: Type.Array(FlatPayment) },
  show: (rows, { services }) => rows.map((row) => toFlatPayment(row, services)),
});

/** A payment without the `delta` around it. */
export function toFlatPayment(row: FundingRow, { config }: Services) {
  const { time, delta } = toWirePayment(row, { settlesHourly: config.FUNDING_SETTLE_HOURS === 1 });
  const { type: _, ...payment } = delta;
  return { time, ...payment };
}

export const userNonFundingLedgerUpdates = rowList(accountReader('userNonFundingLedgerUpdates', {}), {
  about: 'Deposits, withdrawals and liquidations: the newest at once, oldest first, then each as it comes.',
  ...{ kind: 'ledger', limit: MONEY_ROWS, field: 'nonFundingLedgerUpdates', schema: userNonFundingLedgerUpdatesInfo.answers },
  show: (rows, { accountId }) => rows.map((row) => toWireUpdate(row, accountId)),
});
