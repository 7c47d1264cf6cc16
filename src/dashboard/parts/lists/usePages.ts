// Pages of a list by the API's cursors. Other filters begin again with the first page.
import { useState } from 'preact/hooks';
import { accountPath } from '../../state/paths.ts';
import { type Asked, useAnswer } from '../useAnswer.ts';

const ROWS_OF_PAGE = 50;

interface Page {
  readonly next_cursor: string | null;
}

export interface Pages<Body> {
  readonly asked: Asked<Body>;
  readonly isFirst: boolean;
  /** For `Pager`. @param next `next_cursor` of the page that is shown */
  readonly links: (next: string | null | undefined) => { onNewer?: () => void; onOlder?: () => void };
}

/** @param asksFirst false when the first page is had from elsewhere */
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
