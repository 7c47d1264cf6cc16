// Funding: what is pending and when it is settled, what each coin came to, and every payment.
import { useState } from 'preact/hooks';
import type { Analytics, CoinFigures, CoinFunding, ExplainedFunding } from '../../api/contract.ts';
import { percent } from '../../domain/numberText.ts';
import { Countdown } from '../../parts/account/NextFunding.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { AsOf } from '../../parts/lists/AsOf.tsx';
import { Facts } from '../../parts/lists/Facts.tsx';
import { Digits, Gain, Moment } from '../../parts/numbers.tsx';
import { type Period, PeriodTabs } from '../../parts/PeriodTabs.tsx';
import { Payments } from '../../parts/results/Payments.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer, useInfo } from '../../parts/useAnswer.ts';
import { aboutAccount, accountPath } from '../../state/paths.ts';

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
