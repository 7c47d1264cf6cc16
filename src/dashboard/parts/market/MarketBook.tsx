// Book, trades and depth of a market: one at a time where the screen is narrow.
import { useMemo, useState } from 'preact/hooks';
import { type Ladder, ladderOf, stepsAt, withOwnOrders } from '../../domain/market/ladder.ts';
import { spreadOf } from '../../domain/market/marketTexts.ts';
import type { OpenOrder } from '../../domain/wire/openOrder.ts';
import { market } from '../../state/market/market.ts';
import { ownBook } from '../../state/market/ownBook.ts';
import { laterPage } from '../laterPage.tsx';
import { Loading } from '../states.tsx';
import { Tabs } from '../Tabs.tsx';
import { BookLadder } from './BookLadder.tsx';
import { TradeTape } from './TradeTape.tsx';
import { useMedia } from './useMedia.ts';

/** Rows of each side, and where the ladder stands above other things. */
const ROWS_MAX = 20;
const ROWS_MAX_NARROW = 10;

const WITH_TRADES = ['Book', 'Trades', 'Depth'] as const;
const WITHOUT_TRADES = ['Book', 'Depth'] as const;

/** Few look at it, and a market has 105 kB. */
const DepthChart = laterPage(() => import('../chart/DepthChart.tsx'));

interface Props {
  readonly coin: string;
  /** Of the coin. */
  readonly orders: readonly OpenOrder[];
  /** The trades stand beside it. */
  readonly hasTradesBeside: boolean;
  readonly onPrice?: ((price: string) => void) | undefined;
}

export function MarketBook({ coin, orders, hasTradesBeside, onPrice }: Props) {
  const [view, setView] = useState<(typeof WITH_TRADES)[number]>('Book');
  const [chosenStep, setStep] = useState<string>();
  const { book } = market.value;
  const steps = stepsAt(book?.bids[0]?.price ?? book?.asks[0]?.price ?? '');
  const step = chosenStep !== undefined && steps.includes(chosenStep) ? chosenStep : (steps[0] as string);
  const isNarrow = useMedia('(max-width: 767px)');
  const ladder = useLadder(orders, { step, rowsMax: isNarrow ? ROWS_MAX_NARROW : ROWS_MAX });
  const choices = hasTradesBeside ? WITHOUT_TRADES : WITH_TRADES;
  const shown = hasTradesBeside && view === 'Trades' ? 'Book' : view;
  return (
    <>
      <div class="row">
        <Tabs legend="Book, trades or depth" choices={choices} chosen={shown} onChoose={setView} />
        {shown !== 'Trades' && (
          <label class="step">
            <span class="unseen">Step of the price</span>
            <select value={step} onChange={({ currentTarget }) => setStep(currentTarget.value)}>
              {steps.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {shown === 'Trades' && <TradeTape coin={coin} />}
      {shown !== 'Trades' && book === undefined && <Loading lines={12} />}
      {shown === 'Book' && book !== undefined && (
        <BookLadder coin={coin} ladder={ladder} step={step} spread={spreadOf(book)} onPrice={onPrice} />
      )}
      {shown === 'Depth' && book !== undefined && <DepthChart coin={coin} ladder={ladder} />}
    </>
  );
}

const NOTHING = { bids: [], asks: [] } as const;

function useLadder(orders: readonly OpenOrder[], { step, rowsMax }: { step: string; rowsMax: number }): Ladder {
  const { book } = market.value;
  const known = ownBook.value;
  return useMemo(() => {
    if (book === undefined) return NOTHING;
    const explained = known?.coin === book.coin ? known : NOTHING;
    const resting = (side: 'buy' | 'sell') =>
      orders
        .filter((order) => order.side === side && order.triggerPrice === null)
        .map(({ limitPrice, sizeLeft }) => ({ price: limitPrice, size: sizeLeft }));
    const own = { bids: withOwnOrders(explained.bids, resting('buy')), asks: withOwnOrders(explained.asks, resting('sell')) };
    return ladderOf(book, own, { step, rowsMax });
  }, [book, known, orders, step, rowsMax]);
}
