// A list of the account's history: its filters by coin, time and status, and its pages by the API's cursors. Times are read in
// the time zone in which the page shows them.
import { useState } from 'preact/hooks';
import type { TimeZone } from '../../domain/texts.ts';
import { accountPath } from '../../state/chosenAccount.ts';
import { address } from '../../state/route.ts';
import { timeZone } from '../../state/settings.ts';
import { type PolledAnswer, useAnswer } from '../answers.tsx';

interface Filter {
  readonly coin: string;
  /** As the fields have them: `2026-11-23T22:40`, or empty. */
  readonly from: string;
  readonly to: string;
  readonly status: string;
}

/** The coin of the address, if it has one, and nothing else. */
export const filterOfAddress = (): Filter => ({
  coin: new URLSearchParams(address.peek().replace(/^[^?]*/, '')).get('coin') ?? '',
  from: '',
  to: '',
  status: '',
});

export const isFiltered = ({ coin, from, to, status }: Filter): boolean => coin + from + to + status !== '';

/** The parameters that the API's lists take. */
export function queryOf({ coin, from, to, status }: Filter): Record<string, string> {
  const zone = timeZone.peek();
  const [start, end] = [typedMs(from, zone), typedMs(to, zone)];
  return {
    ...(coin && { coin }),
    ...(status && { status }),
    ...(start !== undefined && { start_time: String(start) }),
    // The minute that is named is included.
    ...(end !== undefined && { end_time: String(end + 59_999) }),
  };
}

/** @returns ms since the epoch; undefined of an empty field */
function typedMs(text: string, zone: TimeZone): number | undefined {
  const timeMs = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

interface Props {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  /** Words of the status, where the list has one. */
  readonly statuses?: readonly string[];
  readonly hasTimes?: boolean;
}

export function Filters({ filter, onChange, statuses, hasTimes }: Props) {
  const [coin, setCoin] = useState(filter.coin);
  const set = (part: Partial<Filter>): void => onChange({ ...filter, ...part });
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        set({ coin: coin.trim() });
      }}
    >
      <label class="filter">
        Coin
        <input
          value={coin}
          placeholder="all"
          autocomplete="off"
          onInput={({ currentTarget }) => setCoin(currentTarget.value)}
          onChange={({ currentTarget }) => set({ coin: currentTarget.value.trim() })}
        />
      </label>
      {statuses && (
        <label class="filter">
          Status
          <select value={filter.status} onChange={({ currentTarget }) => set({ status: currentTarget.value })}>
            <option value="">all</option>
            {statuses.map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </select>
        </label>
      )}
      {hasTimes && (
        <>
          <TimeField label="From" value={filter.from} onChange={(from) => set({ from })} />
          <TimeField label="To" value={filter.to} onChange={(to) => set({ to })} />
        </>
      )}
      {isFiltered(filter) && (
        <button
          type="button"
          class="small"
          onClick={() => {
            setCoin('');
            onChange({ coin: '', from: '', to: '', status: '' });
          }}
        >
          Show all
        </button>
      )}
    </form>
  );
}

interface TimeProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TimeField({ label, value, onChange }: TimeProps) {
  return (
    <label class="filter">
      {label} ({timeZone.value === 'utc' ? 'UTC' : 'local'})
      <input type="datetime-local" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    </label>
  );
}

/** Says at the last page of a list that nothing older is kept. */
export function HistoryEnd({ next }: { readonly next: string | null | undefined }) {
  return next === null ? <p class="quiet historyEnd">The kept history ends here.</p> : null;
}

const ROWS_OF_PAGE = 50;

interface Page {
  readonly next_cursor: string | null;
}

interface Pages<Body> {
  readonly asked: PolledAnswer<Body>;
  readonly isFirst: boolean;
  /** For `Pager`. @param next `next_cursor` of the page that is shown */
  readonly links: (next: string | null | undefined) => { onNewer?: () => void; onOlder?: () => void };
}

/**
 * Pages of a list by the API's cursors. Other filters begin again with the first page.
 * @param asksFirst false when the first page is had from elsewhere
 */
export function usePages<Body extends Page>(
  list: 'fills' | 'orders',
  query: Readonly<Record<string, string>>,
  { asksFirst = true } = {},
): Pages<Body> {
  const text = JSON.stringify(query);
  const [place, setPlace] = useState<{ readonly of: string; readonly cursors: readonly string[] }>({ of: text, cursors: [] });
  const cursors = place.of === text ? place.cursors : [];
  const cursor = cursors.at(-1);
  const params = new URLSearchParams({ limit: String(ROWS_OF_PAGE), ...query, ...(cursor !== undefined && { cursor }) });
  const isFirst = cursor === undefined;
  const asked = useAnswer<Body>(isFirst && !asksFirst ? undefined : accountPath(`${list}?${params}`));
  return {
    asked,
    isFirst,
    links: (next) => ({
      ...(!isFirst && { onNewer: () => setPlace({ of: text, cursors: cursors.slice(0, -1) }) }),
      ...(next != null && { onOlder: () => setPlace({ of: text, cursors: [...cursors, next] }) }),
    }),
  };
}
