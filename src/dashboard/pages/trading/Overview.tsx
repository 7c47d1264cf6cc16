// The account at a glance: its value over time, its positions, its open orders and its newest fills.
import { useState } from 'preact/hooks';
import type { ExplainedFunding, Overview as Figures } from '../../api/contract.ts';
import { sumOf } from '../../domain/exactSums.ts';
import { gainOf, returnOf } from '../../domain/figures/curve.ts';
import { negated, percent } from '../../domain/texts.ts';
import { FillTable } from '../../parts/account/FillTable.tsx';
import { OrderTable } from '../../parts/account/OrderTable.tsx';
import { NextFunding, PositionTable } from '../../parts/account/PositionTable.tsx';
import { TermsNote } from '../../parts/account/TermsNote.tsx';
import { Loading, Shown, useAnswer, useInfo } from '../../parts/answers.tsx';
import { EquityChart, useCurve, useCurvePoints } from '../../parts/chart/CurveChart.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Gain, GainPercent, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { type Period, PeriodTabs } from '../../parts/Tabs.tsx';
import { account, openOrders } from '../../state/account.ts';
import { aboutAccount, accountPath } from '../../state/chosenAccount.ts';
import { fills } from '../../state/fills.ts';

const FIVE_MINUTES_MS = 300_000;
/** The newest; the page of orders has all. */
const ORDERS_SHOWN = 10;

export default function Overview() {
  const [period, setPeriod] = useState<Period>('1d');
  const day = useCurve('1d');
  const other = useCurve(period === '1d' ? undefined : period);
  const curve = period === '1d' ? day : other;
  const points = useCurvePoints(curve);
  const dayPoints = useCurvePoints(day);
  const figures = useAnswer<Figures>(accountPath('overview'), { everyMs: FIVE_MINUTES_MS });
  const holds = (account.value?.positions.length ?? 0) > 0;
  // The last question: the page is drawn without it.
  const funding = useInfo<ExplainedFunding>(holds && day.answer ? aboutAccount({ type: 'explainFunding' }) : undefined, 0, {
    everyMs: FIVE_MINUTES_MS,
  });
  const last = points?.at(-1);
  const body = figures.answer?.body;
  return (
    <Shell title="Overview">
      <MarginWarning />
      <section aria-labelledby="equity">
        <div class="row">
          <h2 id="equity">Equity</h2>
          <PeriodTabs chosen={period} onChoose={setPeriod} />
        </div>
        <Facts
          kind="figures"
          facts={[
            last && { term: 'Account value', value: <Usd value={last.equity} /> },
            dayPoints && {
              term: 'PnL, last 24 h',
              value: (
                <>
                  <Gain value={gainOf(dayPoints)} /> <GainPercent value={returnOf(dayPoints)} />
                </>
              ),
            },
            body && {
              term: 'PnL since the beginning',
              value: <Gain value={sumOf([body.account_value, negated(body.net_deposits)])} />,
            },
            body && { term: 'Realized', value: <Gain value={body.realized_pnl} /> },
            body && { term: 'Fees paid', value: <Usd value={body.fees_paid} /> },
            body && { term: 'Funding paid', value: <Usd value={body.funding_paid} /> },
            holds && funding.answer && { term: 'Next funding', value: <NextFunding funding={funding.answer.body} /> },
          ]}
        />
        {body && <TermsNote terms={body.account_terms} />}
        <Shown asked={curve} lines={6}>
          {() => points && <EquityChart points={points} period={period} />}
        </Shown>
      </section>
      <section aria-labelledby="positions">
        <h2 id="positions">Positions</h2>
        {account.value === undefined ? <Loading /> : <PositionTable positions={account.value.positions} />}
      </section>
      <section aria-labelledby="orders">
        <div class="row">
          <h2 id="orders">
            Open orders <span class="quiet">{openOrders.value?.orders.length}</span>
          </h2>
          <a href="/orders">All orders</a>
        </div>
        {openOrders.value === undefined ? <Loading /> : <OrderTable orders={openOrders.value.orders.slice(0, ORDERS_SHOWN)} />}
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

const WARNS_AT = 0.8;

/** Says that the account comes near its liquidation, at the levels of the exchange's own notification (docs/streams.md). */
export function MarginWarning() {
  const ratio = account.value?.marginRatio;
  if (ratio === undefined || ratio < WARNS_AT) return null;
  return (
    <p class="warning" role="status">
      <b>Near liquidation.</b> The maintenance margin takes up {percent(ratio, { decimals: 0 })} of the cross account value; at
      100 {'\u202f'}% positions are liquidated. <a href="/positions">Positions</a>
    </p>
  );
}
