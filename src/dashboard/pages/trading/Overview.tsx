// The account at a glance: what it is worth and was, what it holds, what waits, what was filled.
import { useState } from 'preact/hooks';
import { FillTable } from '../../parts/account/FillTable.tsx';
import { OrderTable } from '../../parts/account/OrderTable.tsx';
import { PositionTable } from '../../parts/account/PositionTable.tsx';
import { CurveChart } from '../../parts/chart/CurveChart.tsx';
import { Gain, GainPercent, Usd } from '../../parts/numbers.tsx';
import { type Period, PeriodTabs } from '../../parts/PeriodTabs.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Loading, Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';
import { account } from '../../state/account.ts';
import { fills } from '../../state/fills.ts';
import { openOrders } from '../../state/orders.ts';
import { exchangePath } from '../../state/paths.ts';

interface Curve {
  readonly complete_since: string | null;
  readonly points: readonly { readonly time: string; readonly equity: string; readonly balance: string }[];
}

interface Figures {
  readonly net_deposits: string;
  readonly realized_pnl: string;
  readonly fees_paid: string;
  readonly funding_paid: string;
  readonly account_value: string;
}

const FIVE_MINUTES_MS = 300_000;

export default function Overview() {
  const [period, setPeriod] = useState<Period>('1d');
  const curve = useAnswer<Curve>(exchangePath(`account/equity-curve?period=${period}`), { everyMs: FIVE_MINUTES_MS });
  const figures = useAnswer<Figures>(exchangePath('account/overview'));
  return (
    <Shell title="Overview">
      <section aria-labelledby="equity">
        <div class="row">
          <h2 id="equity">Equity</h2>
          <PeriodTabs chosen={period} onChoose={setPeriod} />
        </div>
        <Shown asked={curve} lines={6}>
          {({ points }) => (
            <CurveChart
              label={`Equity, ${period}`}
              points={points.map(({ time, equity }) => [Date.parse(time), equity] as const)}
            />
          )}
        </Shown>
        <Shown asked={figures} lines={1}>
          {(body) => (
            <dl class="figures">
              <Result title="Since the beginning" value={body} />
              <div>
                <dt>Realized</dt>
                <dd>
                  <Gain value={body.realized_pnl} />
                </dd>
              </div>
              <div>
                <dt>Fees paid</dt>
                <dd>
                  <Usd value={body.fees_paid} />
                </dd>
              </div>
              <div>
                <dt>Funding paid</dt>
                <dd>
                  <Usd value={body.funding_paid} />
                </dd>
              </div>
            </dl>
          )}
        </Shown>
      </section>
      <section aria-labelledby="positions">
        <h2 id="positions">Positions</h2>
        {account.value === undefined ? <Loading /> : <PositionTable positions={account.value.positions} />}
      </section>
      <section aria-labelledby="orders">
        <h2 id="orders">Open orders</h2>
        {openOrders.value === undefined ? <Loading /> : <OrderTable orders={openOrders.value.orders} />}
      </section>
      <section aria-labelledby="fills">
        <div class="row">
          <h2 id="fills">Latest fills</h2>
          <a href="/fills">All fills</a>
        </div>
        {fills.value === undefined ? <Loading /> : <FillTable fills={fills.value.rows.slice(0, 10).map(({ row }) => row)} />}
      </section>
    </Shell>
  );
}

/** Account value by what was paid in. */
function Result({ title, value }: { readonly title: string; readonly value: Figures }) {
  const deposits = Number(value.net_deposits);
  return (
    <div>
      <dt>{title}</dt>
      <dd>{deposits > 0 ? <GainPercent value={Number(value.account_value) / deposits - 1} /> : '–'}</dd>
    </div>
  );
}
