// The results of trading over a period: every figure with its definition, by direction and by coin; the equity, its deepest fall,
// and the result of each month.
import { useMemo, useState } from 'preact/hooks';
import type { Analytics, TradeFigures } from '../../api/contract.ts';
import { type CurvePoint, type MonthResult, months, underwater } from '../../domain/figures/curve.ts';
import { TRADE_FIGURES } from '../../domain/figures/definitions.ts';
import { percent } from '../../domain/texts.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { TermsNote } from '../../parts/account/TermsNote.tsx';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { CurveChart, EquityChart, useCurve, useCurvePoints } from '../../parts/chart/CurveChart.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Facts, Help } from '../../parts/Facts.tsx';
import { Gain, GainPercent, Moment, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { type Period, PeriodTabs } from '../../parts/Tabs.tsx';
import { accountPath } from '../../state/chosenAccount.ts';
import { EquityFacts, Figure } from './Figure.tsx';

const FIVE_MINUTES_MS = 300_000;

export default function Performance() {
  const [period, setPeriod] = useState<Period>('all');
  const curve = useCurve(period);
  const points = useCurvePoints(curve);
  const figures = useAnswer<Analytics>(accountPath(`analytics?period=${period}`), {
    ...{ everyMs: FIVE_MINUTES_MS, hidesOthers: true },
  });
  return (
    <Shell title="Performance">
      <div class="row">
        <p class="quiet">
          A period ends now. Open positions are in the equity, not in the PnL of trades. <a href="/tearsheet">Tearsheet</a>
        </p>
        <PeriodTabs chosen={period} onChoose={setPeriod} />
      </div>
      <section aria-labelledby="equity">
        <h2 id="equity">Equity</h2>
        <Shown asked={curve} lines={6}>
          {({ complete_since }) => (
            <>
              <Since time={complete_since} what="The curve begins" />
              {points && <Curves points={points} period={period} />}
            </>
          )}
        </Shown>
      </section>
      <Shown asked={figures} lines={10}>
        {(body) => <Results figures={body} />}
      </Shown>
      <AsOf asked={figures} />
    </Shell>
  );
}

function Curves({ points, period }: { readonly points: readonly CurvePoint[]; readonly period: Period }) {
  const last = points.at(-1);
  const falls = useMemo(() => underwater(points).map(([timeMs, share]) => [timeMs, String(share)] as const), [points]);
  const [deepestMs, deepest] = falls.reduce((worst, point) => (Number(point[1]) < Number(worst[1]) ? point : worst), [0, '0']);
  const now = falls.at(-1)?.[1] ?? '0';
  const sentence =
    Number(deepest) < 0
      ? `deepest ${percent(deepest)} on ${new Date(deepestMs).toISOString().slice(0, 10)}, now ${percent(now)} below the peak.`
      : 'never below an earlier peak.';
  return (
    <>
      {last && <Facts kind="figures" facts={[{ term: 'Account value now', value: <Usd value={last.equity} /> }]} />}
      <EquityChart points={points} period={period} />
      <h3>Drawdown</h3>
      <CurveChart
        label={`Drawdown, ${period}`}
        sentence={sentence}
        points={falls}
        drawing="fall"
        head="Below the peak"
        cell={(value) => <GainPercent value={value} />}
      />
      <h3>
        By month{' '}
        <Help text="Months of UTC. The return of a month is the gain by the equity before it, step by step; deposits are no gain." />
      </h3>
      <DataTable
        caption="Results by month"
        columns={MONTHS}
        rows={months(points)}
        keyOf={({ month }) => month}
        empty={<p>No month yet.</p>}
      />
    </>
  );
}

const MONTHS: readonly Column<MonthResult>[] = [
  { head: 'Month', cell: ({ month }) => month, by: ({ month }) => month },
  { head: 'Return', isNumber: true, cell: ({ share }) => <GainPercent value={share} />, by: ({ share }) => share },
  { head: 'Gain, USD', isNumber: true, cell: ({ gain }) => <Gain value={gain} />, by: ({ gain }) => Number(gain) },
  { head: 'Equity at its end', isNumber: true, cell: ({ equity }) => <Usd value={equity} /> },
];

function Results({ figures }: { readonly figures: Analytics }) {
  const { long, short, by_coin: byCoin } = figures;
  const directions = TRADE_FIGURES.map((definition) => ({ definition, all: figures, long, short }));
  return (
    <>
      <section aria-labelledby="risk">
        <h2 id="risk">Risk</h2>
        <TermsNote terms={figures.account_terms} />
        <EquityFacts figures={figures} />
      </section>
      <section aria-labelledby="trades">
        <h2 id="trades">Trades</h2>
        <p class="quiet">
          From <Moment at={figures.from} /> to <Moment at={figures.to} />.
        </p>
        <Since time={figures.complete_since} what="The sums are complete" />
        <DataTable
          caption="Figures of all trades, long and short"
          columns={DIRECTIONS}
          rows={directions}
          keyOf={({ definition }) => definition.name}
          empty=""
        />
      </section>
      <section aria-labelledby="coins">
        <h2 id="coins">By coin</h2>
        <DataTable
          caption="Figures by coin"
          columns={COINS}
          rows={byCoin}
          keyOf={({ coin }) => coin}
          empty={<p>No fill in the period.</p>}
        />
      </section>
    </>
  );
}

interface DirectionRow {
  readonly definition: (typeof TRADE_FIGURES)[number];
  readonly all: TradeFigures;
  readonly long: TradeFigures;
  readonly short: TradeFigures;
}

const directionColumn = (head: string, of: 'all' | 'long' | 'short'): Column<DirectionRow> => ({
  head,
  isNumber: true,
  cell: ({ definition: { name, kind }, [of]: figures }) => <Figure kind={kind} value={figures[name]} />,
});

const DIRECTIONS: readonly Column<DirectionRow>[] = [
  {
    head: 'Figure',
    cell: ({ definition: { title, help } }) => (
      <>
        {title}
        <Help text={help} />
      </>
    ),
  },
  directionColumn('All', 'all'),
  directionColumn('Long', 'long'),
  directionColumn('Short', 'short'),
];

const COINS: readonly Column<TradeFigures & { readonly coin: string }>[] = [
  { head: 'Coin', cell: ({ coin }) => <a href={`/fills?coin=${encodeURIComponent(coin)}`}>{coin}</a>, by: ({ coin }) => coin },
  ...TRADE_FIGURES.map(({ name, title, kind, help }) => ({
    head: title,
    help,
    isNumber: true,
    cell: (row: TradeFigures) => <Figure kind={kind} value={row[name]} />,
    by: (row: TradeFigures) => Number(row[name] ?? Number.NEGATIVE_INFINITY),
  })),
];

/** Says where a bound of one request has cut what is read. */
function Since({ time, what }: { readonly time: string | null; readonly what: string }) {
  if (time === null) return null;
  return (
    <p class="notice">
      {what} on <Moment at={time} />. One request reads the newest 100,000 rows of a kind; what was before is not in it.
    </p>
  );
}
