// The life of one order: why it is open or how it ended, and each fill with what it was made of.
import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import type { ExplainedOrder } from '../../api/contract.ts';
import { readOpenOrder } from '../../domain/account/wireAccount.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { CancelOrder } from '../../parts/account/OrderTable.tsx';
import { ordersNow, useAskedAgain } from '../../parts/account/useAskedAgain.ts';
import { Shown, useInfo } from '../../parts/answers.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Digits, Side } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { aboutAccount } from '../../state/chosenAccount.ts';
import { stream } from '../../state/stream.ts';
import { TimeLine, WhyOpen } from './OrderLife.tsx';

/** After changes of orders and of the queue: a burst of them is one question. */
const ORDERS_MS = 3_000;
/** After changes of the price: with the shell's own question, six a minute. */
const MARKET_MS = 12_000;

/** The answer about an order that is there; for an unknown order, the status alone. */
type Explained = Omit<ExplainedOrder, 'order'> & Partial<Pick<ExplainedOrder, 'order'>>;

export default function OrderPage({ oid }: { readonly oid: string }) {
  const asked = useInfo<Explained>(aboutAccount({ type: 'explainOrder', oid: Number(oid) }));
  const body = asked.answer?.body;
  const coin = body?.open ? body.order?.order.coin : undefined;
  // The queue before an open order moves with an entry, which the list of open orders shows. The book's size for the order moves
  // with the price.
  const prices = useSignal<string | undefined>(undefined);
  const market = useCallback(() => ({ seq: 0, prices: prices.value }), [coin]);
  useEffect(() => (coin === undefined ? undefined : followBest(coin, (best) => (prices.value = best))), [coin]);
  useAskedAgain(asked, ordersNow, ORDERS_MS);
  useAskedAgain(asked, coin === undefined ? undefined : market, MARKET_MS);
  return (
    <Shell title={`Order ${oid}`}>
      <Shown asked={asked} lines={8}>
        {({ order, ...rest }) =>
          order === undefined ? (
            <p>This account has no such order, or it is older than its kept history.</p>
          ) : (
            <>
              <Life explained={{ order, ...rest }} />
              <AsOf asked={asked} />
            </>
          )
        }
      </Shown>
    </Shell>
  );
}

/** Tells the best prices of a coin's book, as one text, whenever they change. @returns ends it */
const followBest = (coin: string, onBest: (prices: string) => void): (() => void) =>
  stream.subscribe({
    subscription: { type: 'bbo', coin },
    isMine: ({ data }) => data.coin === coin,
    onMessage: ({ data }) => onBest((data.bbo as readonly ({ readonly px: string } | null)[]).map((level) => level?.px).join()),
  });

function Life({ explained }: { readonly explained: ExplainedOrder }) {
  const { order: state, open } = explained;
  const order = readOpenOrder(state.order);
  const isWhole = order.isForPosition && Number(order.size) === 0;
  return (
    <>
      <Facts
        facts={[
          { term: 'Coin', value: <a href={`/orders?coin=${encodeURIComponent(order.coin)}`}>{order.coin}</a> },
          {
            term: 'Side',
            value: (
              <>
                {<Side side={order.side} />}
                {order.reduceOnly && ' reduce-only'}
              </>
            ),
          },
          {
            term: 'Type',
            value: (
              <>
                {order.type} {order.timeInForce}
              </>
            ),
          },
          { term: 'Limit', value: <Digits value={order.limitPrice} /> },
          order.triggerCondition !== null && { term: 'Trigger', value: order.triggerCondition },
          { term: 'Size', value: isWhole ? 'the whole position' : <Digits value={order.size} /> },
          { term: 'Left', value: isWhole ? '–' : <Digits value={order.sizeLeft} /> },
          order.cloid !== null && { term: 'cloid', value: <code>{order.cloid}</code> },
        ]}
      />
      {open && (
        <>
          <WhyOpen facts={open} order={order} />
          <p>
            <CancelOrder order={order} />
          </p>
        </>
      )}
      {order.children.length > 0 && (
        <p>
          Orders that wait for it:{' '}
          {order.children.map(({ oid, type }) => (
            <a key={oid} href={`/orders/${oid}`}>
              {type} {oid}{' '}
            </a>
          ))}
        </p>
      )}
      <TimeLine explained={explained} />
    </>
  );
}
