// The page of a market: its chart, its book with the account's own levels, its trades, and the account's position and orders in
// the coin.
import '../../styles/market.css';
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { type DataAge, dataAge, laterOf } from '../../domain/market/dataAge.ts';
import { age } from '../../domain/texts.ts';
import { OrderTable } from '../../parts/account/OrderTable.tsx';
import { PositionTable } from '../../parts/account/PositionTable.tsx';
import { Loading } from '../../parts/answers.tsx';
import { laterPage } from '../../parts/laterPage.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { account, openOrders } from '../../state/account.ts';
import { nowMs } from '../../state/clock.ts';
import { followMarket, market } from '../../state/market.ts';
import { marks, useMarks } from '../../state/marks.ts';
import { followOwnBook, ownBook } from '../../state/ownBook.ts';
import { lastCoin } from '../../state/settings.ts';
import { stream } from '../../state/stream.ts';
import { MarketBar } from './MarketBar.tsx';
import { MarketBook, useMedia } from './MarketBook.tsx';
import { MarketChart } from './MarketChart.tsx';
import { type ClickedPrice, OrderTicket } from './OrderTicket.tsx';
import { TradeTape } from './TradeTape.tsx';

const CoinPicker = laterPage(() => import('./CoinPicker.tsx'), null);

/** From here on the trades have a column of their own. */
const WIDE = '(min-width: 1680px)';

export default function MarketPage({ coin }: { readonly coin: string }) {
  const [isPicking, setIsPicking] = useState(false);
  useMarks();
  const isUnknown = useComputed(() => Object.keys(marks.value).length > 0 && marks.value[coin] === undefined);
  return (
    <Shell title={`${coin} market`}>
      <div class="market">
        <button type="button" class="coin" aria-haspopup="dialog" onClick={() => setIsPicking(true)}>
          {coin} <span aria-hidden="true">▾</span>
          <span class="unseen">, choose another coin</span>
        </button>
        {isPicking && <CoinPicker onClose={() => setIsPicking(false)} />}
        {isUnknown.value ? (
          <p class="empty">{coin} is not traded here. Choose another coin.</p>
        ) : (
          <Market key={coin} coin={coin} />
        )}
      </div>
    </Shell>
  );
}

/** Drawn again when the orders change. Each part that shows faster data reads it itself. */
function Market({ coin }: { readonly coin: string }) {
  const isWide = useMedia(WIDE);
  useEffect(() => {
    lastCoin.value = coin;
    const ends = [followMarket(coin), followOwnBook(coin)];
    return () => {
      for (const end of ends) end();
    };
  }, [coin]);
  const all = openOrders.value?.orders;
  const orders = useMemo(() => all?.filter((order) => order.coin === coin) ?? [], [all, coin]);
  const data = useComputed(() => ageOfData(coin));
  const isStale = useComputed(() => data.value.isStale);
  const clickedPrice = useSignal<ClickedPrice | undefined>(undefined);
  const takePrice = useCallback((price: string): void => {
    clickedPrice.value = { price };
  }, []);
  return (
    <>
      <MarketBar coin={coin} data={data} />
      <Notices coin={coin} data={data} />
      <div class={isStale.value ? 'screen stale' : 'screen'}>
        <section class="pane graph" aria-label="Chart">
          <MarketChart coin={coin} orders={orders} />
        </section>
        <section class="pane book" aria-label="Book">
          <MarketBook coin={coin} orders={orders} hasTradesBeside={isWide} onPrice={takePrice} />
        </section>
        {isWide && (
          <section class="pane trades" aria-label="Trades">
            <h2>Trades</h2>
            <TradeTape coin={coin} />
          </section>
        )}
        <section class="pane orderPane" aria-label="Order ticket">
          <OrderTicket coin={coin} clickedPrice={clickedPrice} />
        </section>
        <div class="account">
          <section aria-labelledby="position">
            <h2 id="position">Position</h2>
            <Position coin={coin} />
          </section>
          <section aria-labelledby="orders">
            <h2 id="orders">Open orders</h2>
            {all === undefined ? <Loading lines={1} /> : <OrderTable orders={orders} />}
          </section>
        </div>
      </div>
    </>
  );
}

function Position({ coin }: { readonly coin: string }) {
  if (account.value === undefined) return <Loading lines={1} />;
  const position = account.value.positions.find((one) => one.coin === coin);
  return position === undefined ? <p class="empty">No position in {coin}.</p> : <PositionTable positions={[position]} />;
}

/** How old book and mark are, as the stream and the exchange itself say. */
function ageOfData(coin: string): DataAge {
  const { bookMs, markMs } = market.value;
  const own = ownBook.value?.coin === coin ? ownBook.value : undefined;
  const heard = { bookMs: laterOf(bookMs, own?.heardMs), markMs: laterOf(markMs, own?.markMs) };
  return dataAge(heard, { nowMs: nowMs.value, maxAgeMs: own?.maxAgeMs });
}

function Notices({ coin, data }: { readonly coin: string; readonly data: ReadonlySignal<DataAge> }) {
  const { isStale, ageMs = 0 } = data.value;
  return (
    <>
      {isStale && (
        <p class="notice" role="status">
          The newest data of {coin} is {age(ageMs)} old: the exchange fills and takes no order in it until it is heard of again.
        </p>
      )}
      {stream.isWithoutMarket.value && (
        <p class="notice" role="status">
          Book and trades came faster than this connection takes them, so they are off.{' '}
          <button type="button" class="small" onClick={() => stream.resumeMarket()}>
            Turn them on again
          </button>
        </p>
      )}
    </>
  );
}
