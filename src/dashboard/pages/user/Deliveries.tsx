// Deliveries of alerts: waiting, delivered, and dead letters, which can be tried again.
import { useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { AlertDelivery, AlertDeliveryPage, AlertDeliveryStatus, AlertEndpoint } from '../../api/contract.ts';
import { post } from '../../api/http.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { whereOf } from './AlertFields.tsx';

const CHOICES = ['all', 'waiting', 'delivered', 'dead'] as const;
const LOOK_MS = 15_000;
const ROWS_OF_PAGE = 50;

interface Props {
  readonly endpoints: readonly AlertEndpoint[];
  readonly onRetried: () => void;
}

export function Deliveries({ endpoints, onRetried }: Props) {
  const [chosen, setChosen] = useState<'all' | AlertDeliveryStatus>('all');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [error, setError] = useState<string>();
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({
    limit: String(ROWS_OF_PAGE),
    ...(chosen !== 'all' && { status: chosen }),
    ...(cursor !== undefined && { cursor }),
  });
  const asked = useAnswer<AlertDeliveryPage>(`/v1/alerts/deliveries?${query}`, { everyMs: LOOK_MS });
  const retry = async (id: string): Promise<void> => {
    setError(undefined);
    try {
      await post(`/v1/alerts/deliveries/${id}/retry`, {});
      asked.askAgain();
      onRetried();
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  const wheres = new Map(endpoints.map((endpoint) => [endpoint.id, whereOf(endpoint)]));
  const columns: readonly Column<AlertDelivery>[] = [
    { head: 'Made', cell: ({ created_at: at }) => <Moment at={at} /> },
    { head: 'Type', cell: ({ type }) => type },
    { head: 'To', cell: ({ endpoint }) => <bdi class="long">{wheres.get(endpoint) ?? endpoint}</bdi> },
    { head: 'Status', cell: ({ status }) => status },
    { head: 'Tries', isNumber: true, cell: ({ tries }) => tries },
    { head: 'Last try', cell: ({ result }) => result ?? '–' },
    { head: 'Next try', cell: ({ next_try_at: at }) => (at === null ? '–' : <Moment at={at} />) },
    {
      head: '',
      cell: ({ message_id: id, status }) =>
        status === 'dead' && (
          <button type="button" class="small" onClick={() => void retry(id)}>
            Try again
          </button>
        ),
    },
  ];
  const choose = (choice: 'all' | AlertDeliveryStatus): void => {
    setCursors([]);
    setChosen(choice);
  };
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <Tabs legend="Which deliveries" choices={CHOICES} chosen={chosen} onChoose={choose} />
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <Shown asked={asked}>
        {({ items, next_cursor: next }) => (
          <>
            <DataTable
              caption="Deliveries"
              columns={columns}
              rows={items}
              keyOf={({ message_id: id }) => id}
              empty={<p>Nothing here.</p>}
            />
            <Pager
              {...(cursor !== undefined && { onNewer: () => setCursors(cursors.slice(0, -1)) })}
              {...(next !== null && { onOlder: () => setCursors([...cursors, next]) })}
            />
          </>
        )}
      </Shown>
    </section>
  );
}
