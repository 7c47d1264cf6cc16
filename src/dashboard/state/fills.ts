// The newest fills: begun by REST, continued by the stream from the journal entry that the answer included.
import { signal } from '@preact/signals';
import { get } from '../api/http.ts';
import type { StreamMessage } from '../api/streamSocket.ts';
import { mergeRows, type Placed, type RowKind } from '../domain/account/rows.ts';
import { type Fill, type FillItem, readFillItem, readWireFill, type WireFill } from '../domain/account/wireAccount.ts';
import { aboutAccount, accountPath } from './chosenAccount.ts';
import { shownTogether, stream } from './stream.ts';

const FIRST_ROWS = 50;
const KIND: RowKind<Fill> = { keyOf: ({ tid }) => tid, timeOf: ({ timeMs, tid }) => timeMs + tid / 1e16, rowsMax: 500 };

interface FillsNow {
  readonly rows: readonly Placed<Fill>[];
  /** Where the rows before these begin; null = there are none. */
  readonly nextCursor: string | null;
}

/** undefined until the first answer. */
export const fills = signal<FillsNow | undefined>(undefined);

interface FillListeners {
  readonly onError: (error: unknown) => void;
  readonly onGap: () => void;
  /** Hears of fills that come while somebody follows them. */
  readonly onFills: (fills: readonly Fill[]) => void;
}

/** Reads the newest fills and follows them. @returns ends it */
export function followFills({ onError, onGap, onFills }: FillListeners): () => void {
  let end: (() => void) | undefined;
  let isOver = false;
  let waiting: Placed<Fill>[] = [];
  const showing = shownTogether<true>(() => {
    const known = fills.value;
    if (known === undefined) return;
    fills.value = { ...known, rows: mergeRows(known.rows, waiting, KIND) };
    onFills(waiting.map(({ row }) => row));
    waiting = [];
  });
  const onMessage = ({ data, seq = 0 }: StreamMessage): void => {
    for (const fill of data.fills as readonly WireFill[]) waiting.push({ row: readWireFill(fill), seq });
    showing.give(true);
  };
  const begin = async (): Promise<void> => {
    const path = accountPath(`fills?limit=${FIRST_ROWS}`);
    const { body, seq = 0 } = await get<{ items: readonly FillItem[]; next_cursor: string | null }>(path);
    if (isOver) return;
    const rows = mergeRows(
      [],
      body.items.map((item) => ({ row: readFillItem(item, Date.parse(item.time)), seq })),
      KIND,
    );
    fills.value = { rows, nextCursor: body.next_cursor };
    end = stream.subscribe({
      subscription: aboutAccount({ type: 'userFills' }),
      fromSeq: seq,
      onMessage,
      onGap: () => {
        onGap();
        begin().catch(onError);
      },
    });
  };
  begin().catch(onError);
  return () => {
    isOver = true;
    end?.();
    showing.end();
    fills.value = undefined;
  };
}
