// The account of a user whose trial or paid time is over: the server sends no stream, so the figures come from the overview.
import { effect } from '@preact/signals';
import type { AccountOrder, OrderPage, Overview } from '../api/contract.ts';
import { get } from '../api/http.ts';
import type { OpenOrder } from '../domain/account/wireAccount.ts';
import { account, openOrders } from './account.ts';
import { accountPath, readUser, user } from './chosenAccount.ts';
import { stream } from './stream.ts';

const LOOK_MS = 10_000;
/** Every so many looks it is asked whether something has been paid meanwhile. */
const LOOKS = 6;

/** Asks every 10 s while the stream is closed for that reason. @param onError hears of a look that failed @returns ends it */
export function followExpired(onError: (error: unknown) => void): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  let looks = 0;
  const look = (): void => {
    if (document.hidden && account.peek() !== undefined) return;
    looks += 1;
    if (looks % LOOKS === 0) return void resumeWhenPaid().catch(onError);
    get<Overview>(accountPath('overview')).then(({ body, seq = 0 }) => show(body, seq), onError);
  };
  const end = effect(() => {
    const isExpired = stream.connection.value === 'expired';
    if (isExpired && timer === undefined) {
      timer = setInterval(look, LOOK_MS);
      look();
      get<OrderPage>(accountPath('orders/open?limit=100')).then(({ body, seq = 0 }) => {
        openOrders.value = { orders: body.items.map(toOpenOrder), seq };
      }, onError);
    }
    if (!isExpired) {
      clearInterval(timer);
      timer = undefined;
    }
  });
  return () => {
    end();
    clearInterval(timer);
  };
}

/** Reads the user, and goes on with the stream when the account may trade again. @throws {ApiError} */
export async function resumeWhenPaid(): Promise<void> {
  await readUser();
  const mayTrade = user.peek()?.subscription_status !== 'expired';
  if (mayTrade && stream.connection.peek() === 'expired') stream.start();
}

/** The list does not say what waits for what, nor the kind of time in force. */
const toOpenOrder = (order: AccountOrder): OpenOrder => ({
  oid: order.oid,
  cloid: order.cloid,
  coin: order.coin,
  side: order.side,
  type: order.order_type,
  limitPrice: order.limit_price,
  triggerPrice: order.trigger_price,
  triggerCondition: null,
  sizeLeft: sizeLeft(order),
  size: order.size,
  isForPosition: false,
  reduceOnly: order.reduce_only,
  timeInForce: null,
  placedMs: Date.parse(order.created_at),
  children: [],
});

/** A computed number, as text: sizes have 8 decimals at most. */
const sizeLeft = ({ size, filled_size: filled }: AccountOrder): string =>
  String(Number((Number(size) - Number(filled)).toFixed(8)));

function show(body: Overview, seq: number): void {
  account.value = {
    seq,
    timeMs: Date.parse(body.as_of),
    accountValue: body.account_value,
    marginUsed: body.margin_used,
    withdrawable: body.withdrawable,
    unrealizedPnl: body.unrealized_pnl,
    marginRatio: undefined,
    positions: body.positions.map((position) => ({
      coin: position.coin,
      side: position.side,
      size: position.size,
      entryPrice: position.entry_price,
      notional: position.notional,
      unrealizedPnl: position.unrealized_pnl,
      returnOnEquity: position.return_on_equity,
      leverage: position.leverage,
      marginMode: position.margin_mode,
      marginUsed: position.margin_used,
      liquidationPrice: position.liquidation_price,
      // The overview counts what was received.
      fundingPaid: position.funding.startsWith('-') ? position.funding.slice(1) : `-${position.funding}`,
    })),
  };
}
