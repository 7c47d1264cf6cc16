// Funding: the pending payment and its time, the sum of each coin, and every payment.
import { useState } from 'preact/hooks';
import type { Analytics, CoinFigures, CoinFunding, ExplainedFunding, FundingPayment } from '../../api/contract.ts';
import { mergePayments, type Payment, paymentKey, readPayment } from '../../domain/account/payments.ts';
import { percent } from '../../domain/texts.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { Countdown } from '../../parts/account/PositionTable.tsx';
import { useJoined } from '../../parts/account/useJoined.ts';
import { ErrorState, Loading, Shown, useAnswer, useInfo } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Digits, Gain, Moment } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { type Period, PeriodTabs } from '../../parts/Tabs.tsx';
import { aboutAccount, accountPath } from '../../state/chosenAccount.ts';

const FIVE_MINUTES_MS = 300_000;

export default function Funding() {
  const [period, setPeriod] = useState<Period>('all');
  const [settled, setSettled] = useState(0);
  const pending = useInfo<ExplainedFunding>(aboutAccount({ type: 'explainFunding' }), settled, { everyMs: FIVE_MINUTES_MS });
  const figures = useAnswer<Analytics>(accountPath(`analytics?period=${period}`), {
    ...{ everyMs: FIVE_MINUTES_MS, hidesOthers: true },
  });
  return (
    <Shell title="Funding">
      <section aria-labelledby="pending">
        <h2 id="pending">Since the last settlement</h2>
        <Shown asked={pending} lines={3}>
          {(funding) => <Pending funding={funding} />}
        </Shown>
        <AsOf asked={pending} />
      </section>
      <section aria-labelledby="coins">
        <div class="row">
          <h2 id="coins">By coin</h2>
          <PeriodTabs chosen={period} onChoose={setPeriod} />
        </div>
        <Shown asked={figures} lines={3}>
          {({ funding, by_coin, complete_since }) => (
            <>
              {complete_since !== null && (
                <p class="notice">
                  The sums are complete since <Moment at={complete_since} />.
                </p>
              )}
              <Facts kind="figures" facts={[{ term: 'Received less paid', value: <Gain value={funding} /> }]} />
              <DataTable
                caption="Funding by coin"
                columns={COINS}
                rows={by_coin.filter((coin) => Number(coin.funding) !== 0)}
                keyOf={({ coin }) => coin}
                empty={<p>No payment in the period.</p>}
              />
            </>
          )}
        </Shown>
      </section>
      <Payments onPaid={() => setSettled((before) => before + 1)} />
    </Shell>
  );
}

function Pending({ funding: { nextTime, pending, estimate, coins } }: { readonly funding: ExplainedFunding }) {
  return (
    <>
      <Facts
        kind="figures"
        facts={[
          {
            term: 'Next settlement',
            value: (
              <>
                {<Moment at={nextTime} />} <span class="quiet">in {<Countdown to={nextTime} />}</span>
              </>
            ),
          },
          { term: 'Pending', help: 'Hours since the last settlement whose rate is known.', value: <Gain value={pending} /> },
          {
            term: 'Estimate of the settlement',
            help: 'Pending, and the hours up to the settlement at the rates and oracle prices of now. Not promised.',
            value: <Gain value={estimate} />,
          },
        ]}
      />
      <DataTable
        caption="Pending funding by coin"
        columns={PENDING}
        rows={coins}
        keyOf={({ coin }) => coin}
        empty={<p>No position, and no hour is owed.</p>}
      />
    </>
  );
}

const PENDING: readonly Column<CoinFunding>[] = [
  { head: 'Coin', cell: ({ coin }) => coin, by: ({ coin }) => coin },
  {
    head: 'Size',
    help: 'Signed; 0 = closed, its hours are owed',
    isNumber: true,
    cell: ({ szi }) => <Digits value={szi} />,
    by: ({ szi }) => Number(szi),
  },
  {
    head: 'Rate now, an hour',
    isNumber: true,
    cell: ({ fundingRate }) =>
      fundingRate === null ? '–' : <data value={fundingRate}>{percent(fundingRate, { decimals: 4 })}</data>,
    by: ({ fundingRate }) => Number(fundingRate),
  },
  { head: 'Pending', isNumber: true, cell: ({ pending }) => <Gain value={pending} />, by: ({ pending }) => Number(pending) },
  { head: 'Estimate', isNumber: true, cell: ({ estimate }) => <Gain value={estimate} />, by: ({ estimate }) => Number(estimate) },
];

const COINS: readonly Column<CoinFigures>[] = [
  { head: 'Coin', cell: ({ coin }) => coin, by: ({ coin }) => coin },
  { head: 'Funding, USD', isNumber: true, cell: ({ funding }) => <Gain value={funding} />, by: ({ funding }) => Number(funding) },
];

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

/**
 * Every funding payment, newest first: the first by a question, the next by the stream from the journal entry that the answer
 * included, older payments on demand.
 * @param props.onPaid called when the stream brings a payment
 */
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
