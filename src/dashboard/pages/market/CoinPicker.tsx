// All coins with what the day has made of them. Typing filters, arrows move, Enter chooses.
import { useEffect, useRef, useState } from 'preact/hooks';
import { short } from '../../domain/market/marketTexts.ts';
import { type CoinContext, dayChange, readContext, type WireContext } from '../../domain/market/wireMarket.ts';
import { percent } from '../../domain/texts.ts';
import { Shown, useInfo } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Digits, GainPercent } from '../../parts/numbers.tsx';
import { marks } from '../../state/marks.ts';
import { navigate } from '../../state/route.ts';

type MetaAndContexts = readonly [
  { readonly universe: readonly { readonly name: string; readonly isDelisted?: boolean; readonly maxLeverage: number }[] },
  readonly WireContext[],
];

interface CoinRow {
  readonly coin: string;
  readonly maxLeverage: number;
  readonly context: CoinContext;
}

const midOf = ({ coin, context }: CoinRow): string | null => marks.value[coin] ?? context.mid;
const changeOf = (row: CoinRow): number | undefined => dayChange(midOf(row), row.context.earlierPrice);

const COLUMNS: readonly Column<CoinRow>[] = [
  {
    head: 'Coin',
    cell: ({ coin, maxLeverage }) => (
      <>
        <a href={`/markets/${encodeURIComponent(coin)}`}>{coin}</a> <span class="quiet">{maxLeverage}x</span>
      </>
    ),
    by: ({ coin }) => coin,
  },
  { head: 'Mid', isNumber: true, cell: (row) => <Digits value={midOf(row)} /> },
  {
    head: '24 h',
    help: 'Change in 24 hours',
    isNumber: true,
    cell: (row) => {
      const change = changeOf(row);
      return change === undefined ? '–' : <GainPercent value={change} />;
    },
    by: (row) => changeOf(row) ?? 0,
  },
  {
    head: 'Funding',
    help: 'Rate of the hour',
    isNumber: true,
    cell: ({ context }) => <span class="number">{percent(context.fundingRate, { decimals: 4, isSigned: true })}</span>,
    by: ({ context }) => Number(context.fundingRate),
  },
  {
    head: 'Volume',
    help: 'In 24 hours, USD',
    isNumber: true,
    cell: ({ context }) => <span class="number">${short(context.volume)}</span>,
    by: ({ context }) => Number(context.volume),
  },
];

export default function CoinPicker({ onClose }: { readonly onClose: () => void }) {
  const frame = useRef<HTMLDialogElement>(null);
  const [filter, setFilter] = useState('');
  const asked = useInfo<MetaAndContexts>({ type: 'metaAndAssetCtxs' });
  useEffect(() => frame.current?.showModal(), []);
  const close = (): void => frame.current?.close();

  const onKey = (event: KeyboardEvent): void => {
    const links = [...(frame.current?.querySelectorAll<HTMLElement>('td a') ?? [])];
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = links.indexOf(document.activeElement as HTMLElement) + step;
    const target = at < 0 ? frame.current?.querySelector('input') : links[Math.min(at, links.length - 1)];
    target?.focus();
  };
  const chooseFirst = (event: Event): void => {
    event.preventDefault();
    const first = frame.current?.querySelector<HTMLAnchorElement>('td a');
    if (first == null) return;
    close();
    navigate(first.pathname);
  };
  return (
    <dialog
      ref={frame}
      class="picker"
      aria-label="Coins"
      onClose={onClose}
      onKeyDown={onKey}
      onClick={({ target }) => {
        if (target === frame.current || (target as Element).closest('td a') !== null) close();
      }}
    >
      <form onSubmit={chooseFirst}>
        <label class="unseen" for="coinFilter">
          Filter coins
        </label>
        <input
          id="coinFilter"
          type="search"
          placeholder="Filter coins"
          autocomplete="off"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <button type="button" onClick={close}>
          Close
        </button>
      </form>
      <div class="list">
        <Shown asked={asked} lines={10}>
          {(body) => (
            <DataTable
              caption="Coins, by volume"
              columns={COLUMNS}
              rows={rowsOf(body, filter)}
              keyOf={({ coin }) => coin}
              empty={<p>No coin with that name.</p>}
            />
          )}
        </Shown>
      </div>
    </dialog>
  );
}

function rowsOf([{ universe }, contexts]: MetaAndContexts, filter: string): readonly CoinRow[] {
  const wanted = filter.trim().toUpperCase();
  return universe
    .flatMap(({ name, isDelisted, maxLeverage }, i): CoinRow[] => {
      const context = contexts[i];
      if (isDelisted || context === undefined || !name.toUpperCase().includes(wanted)) return [];
      return [{ coin: name, maxLeverage, context: readContext(context) }];
    })
    .sort((a, b) => Number(b.context.volume) - Number(a.context.volume));
}
