// Every funding payment, newest first: begun by a question, continued by the stream from the journal entry that the answer included,
// and older ones as they are wanted.
import { useState } from 'preact/hooks';
import type { FundingPayment } from '../../api/contract.ts';
import { mergePayments, type Payment, paymentKey, readPayment } from '../../domain/history/payments.ts';
import { percent } from '../../domain/numberText.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { useJoined } from '../lists/useJoined.ts';
import { Digits, Gain, Moment } from '../numbers.tsx';
import { ErrorState, Loading } from '../states.tsx';

/** As many as one answer has. */
const ROWS_OF_ANSWER = 500;

const COLUMNS: readonly Column<Payment>[] = [
  { head: 'Settled', cell: ({ timeMs }) => <Moment at={timeMs} /> },
  { head: 'Coin', cell: ({ coin }) => coin },
  { head: 'Payment, USD', help: '> 0 was received', isNumber: true, cell: ({ usd }) => <Gain value={usd} /> },
  {
    head: 'Size',
    help: 'Signed; the mean over the hours',
    isNumber: true,
    cell: ({ signedSize }) => <Digits value={signedSize} />,
  },
  {
    head: 'Rate, an hour',
    isNumber: true,
    cell: ({ rate }) => (
      <data value={rate} title={rate} class="number">
        {percent(rate, { decimals: 4, isSigned: true })}
      </data>
    ),
  },
  { head: 'Hours', isNumber: true, cell: ({ hours }) => hours ?? 1 },
];

/** @param props.onPaid called when the stream tells a payment */
export function Payments({ onPaid }: { readonly onPaid: () => void }) {
  const { rows, error, askAgain, askMore } = useJoined<readonly FundingPayment[], Payment>({
    question: { type: 'userFunding' },
    channel: 'userFundings',
    readAnswer: (body) => body.map(({ time, delta }) => readPayment(time, delta)),
    readMessage: ({ fundings }: { fundings: FlatPayment[] }) =>
      fundings.map(({ time, ...payment }) => readPayment(time, payment)),
    merge: mergePayments,
    onMore: onPaid,
  });
  const [older, setOlder] = useState<number>();
  const [failure, setFailure] = useState<Error>();
  const oldest = rows?.at(-1);
  const isWhole = rows !== undefined && (older ?? rows.length) < ROWS_OF_ANSWER;
  const readOlder = (endTime: number): void => {
    setFailure(undefined);
    askMore({ endTime }).then(setOlder, setFailure);
  };
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      {error && <ErrorState error={error} onRetry={askAgain} />}
      {rows === undefined && !error && <Loading lines={5} />}
      {rows && (
        <DataTable
          caption="Funding payments, newest first"
          columns={COLUMNS}
          rows={rows}
          keyOf={paymentKey}
          empty={<p>No payment yet. A position pays or gets funding at the next settlement.</p>}
        />
      )}
      {failure && <ErrorState error={failure} />}
      {isWhole && oldest && <p class="quiet">These are all: before them no payment was made, or it is not kept.</p>}
      {!isWhole && oldest && (
        <button type="button" onClick={() => readOlder(oldest.timeMs)}>
          Read older payments
        </button>
      )}
    </section>
  );
}

type FlatPayment = { readonly time: number } & Parameters<typeof readPayment>[1];
