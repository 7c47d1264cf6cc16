// The tearsheet of the account that is shown. A user looks at it before saving the file, which has the same content and is for
// other readers.
import { useMemo, useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import type { Drawdown, MonthOfEquity, RoundTrip, Tearsheet as Sheet, TradeFigures } from '../../api/contract.ts';
import { TRADE_FIGURES } from '../../domain/figures/definitions.ts';
import { percent } from '../../domain/texts.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { TermsNote } from '../../parts/account/TermsNote.tsx';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Digits, Gain, GainPercent, Moment, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { type Period, PeriodTabs } from '../../parts/Tabs.tsx';
import { accountPath } from '../../state/chosenAccount.ts';
import { DayChart } from './DayChart.tsx';
import { Exports, fetchFile, save as saveFile } from './Exports.tsx';
import { EquityFacts, Figure } from './Figure.tsx';

export default function Tearsheet() {
  const [period, setPeriod] = useState<Period>('all');
  const sheet = useAnswer<Sheet>(accountPath(`tearsheet/figures?period=${period}`), { hidesOthers: true });
  return (
    <Shell title="Tearsheet">
      <div class="row">
        <p class="quiet">
          The results of a period on one page. The file has no script and loads nothing: it can be kept and sent.
        </p>
        <PeriodTabs chosen={period} onChoose={setPeriod} />
      </div>
      <Shown asked={sheet} lines={12}>
        {(body) => (
          <>
            <Save sheet={body} period={period} />
            <Results sheet={body} />
          </>
        )}
      </Shown>
      <AsOf asked={sheet} />
      <Exports />
    </Shell>
  );
}

function Save({ sheet, period }: { readonly sheet: Sheet; readonly period: Period }) {
  const [isSaving, setIsSaving] = useState(false);
  const [said, setSaid] = useState('');
  const save = async (): Promise<void> => {
    setIsSaving(true);
    setSaid('');
    try {
      saveFile(await fetchFile(accountPath(`tearsheet?period=${period}`)), `${sheet.account}-tearsheet-${period}.html`);
      setSaid('The file is among your downloads.');
    } catch (failure) {
      setSaid(failureText(failure));
    }
    setIsSaving(false);
  };
  return (
    <p class="ways">
      <button type="button" disabled={isSaving} onClick={() => void save()}>
        Download as a file
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  );
}

function Results({ sheet }: { readonly sheet: Sheet }) {
  const { figures, months, drawdowns, days, rolling_days: rolling, trades, excursions, excursions_again: again } = sheet;
  const growth = useMemo(() => days.map(({ day, growth: value }) => ({ day, value })), [days]);
  const falls = useMemo(() => days.map(({ day, drawdown }) => ({ day, value: drawdown === '0' ? '0' : `-${drawdown}` })), [days]);
  const sharpes = useMemo(() => days.map(({ day, rolling_sharpe: value }) => ({ day, value })), [days]);
  return (
    <>
      <p class="quiet">
        From <Moment at={figures.from} /> to <Moment at={figures.to} />. Months and days are of UTC.
      </p>
      <TermsNote terms={figures.account_terms} />
      {figures.complete_since !== null && (
        <p class="notice">
          One request reads the newest 100,000 rows of a kind: what was before <Moment at={figures.complete_since} /> may be
          missing.
        </p>
      )}
      <section aria-labelledby="months">
        <h2 id="months">Months</h2>
        <DataTable caption="Results by month" columns={MONTHS} rows={months.toReversed()} keyOf={({ month }) => month} empty="" />
      </section>
      <section aria-labelledby="return">
        <h2 id="return">Return</h2>
        <DayChart label="Return since the beginning" values={growth} write={signed} empty="No day yet." />
        <EquityFacts figures={figures} />
      </section>
      <section aria-labelledby="drawdown">
        <h2 id="drawdown">Drawdown</h2>
        <DayChart label="Below the peak, the deepest of each day" values={falls} write={signed} empty="No day yet." />
        <DataTable
          caption="Deepest drawdowns"
          columns={DRAWDOWNS}
          rows={drawdowns}
          keyOf={({ peak }) => peak}
          empty={<p>Never below an earlier peak.</p>}
        />
      </section>
      <section aria-labelledby="rolling">
        <h2 id="rolling">Rolling Sharpe ratio, {rolling} days</h2>
        <DayChart
          label="Rolling Sharpe ratio"
          values={sharpes}
          write={(value) => Number(value).toFixed(2).replace('-', '−')}
          empty={`It needs the returns of ${rolling} days that differ.`}
        />
      </section>
      <section aria-labelledby="trades">
        <h2 id="trades">Trades</h2>
        <DataTable
          caption="Figures of all trades, long and short"
          columns={FIGURES}
          rows={TRADE_FIGURES.map((definition) => ({ definition, all: figures, long: figures.long, short: figures.short }))}
          keyOf={({ definition }) => definition.name}
          empty=""
        />
        <h3>Newest trades</h3>
        <p class="quiet">
          {trades.length} of {figures.trades}. A trade is a position from flat to flat, net of fees and funding. Best and worst
          are how far its result went on its way, before fees and funding
          {again !== null && (
            <>
              ; some are worked out later, from <Moment at={again} /> on
            </>
          )}
          .
        </p>
        {excursions.trades > 0 && (
          <p class="quiet">
            Of {excursions.trades} trades: best <Figure kind="gain" value={excursions.average_mfe} /> on average and{' '}
            <Figure kind="gain" value={excursions.largest_mfe} /> at most, worst{' '}
            <Figure kind="gain" value={excursions.average_mae} /> and <Figure kind="gain" value={excursions.largest_mae} />.
          </p>
        )}
        <DataTable
          caption="Newest trades"
          columns={TRADES}
          rows={trades}
          keyOf={({ tid }) => tid}
          empty={<p>No trade in the period.</p>}
        />
      </section>
    </>
  );
}

/** How far the result went on its way, with the length of the candles that were looked at. */
const Excursion = ({ value, seen }: { readonly value: string | null; readonly seen: string | null }) => (
  <span title={seen === null ? undefined : seen === 'fills' ? 'by the prices of its fills' : `by candles of ${seen}`}>
    <Figure kind="gain" value={value} />
  </span>
);

const signed = (value: string): string => percent(value, { isSigned: true });

const MONTHS: readonly Column<MonthOfEquity>[] = [
  { head: 'Month', cell: ({ month }) => month, by: ({ month }) => month },
  { head: 'Return', isNumber: true, cell: (of) => <GainPercent value={of.return} />, by: (of) => Number(of.return) },
  { head: 'Gain, USD', isNumber: true, cell: ({ gain }) => <Gain value={gain} />, by: ({ gain }) => Number(gain) },
  { head: 'Equity at its end', isNumber: true, cell: ({ equity }) => <Usd value={equity} /> },
];

const DRAWDOWNS: readonly Column<Drawdown>[] = [
  { head: 'Depth', isNumber: true, cell: ({ depth }) => <span class="number">{percent(depth)}</span> },
  { head: 'Peak', cell: ({ peak }) => <Moment at={peak} /> },
  { head: 'Deepest', cell: ({ deepest }) => <Moment at={deepest} /> },
  { head: 'Recovered', cell: ({ recovered }) => (recovered === null ? 'not yet' : <Moment at={recovered} />) },
];

interface FigureRow {
  readonly definition: (typeof TRADE_FIGURES)[number];
  readonly all: TradeFigures;
  readonly long: TradeFigures;
  readonly short: TradeFigures;
}

const FIGURES: readonly Column<FigureRow>[] = [
  { head: 'Figure', cell: ({ definition }) => <span title={definition.help}>{definition.title}</span> },
  ...(['all', 'long', 'short'] as const).map(
    (of): Column<FigureRow> => ({
      head: { all: 'All', long: 'Long', short: 'Short' }[of],
      isNumber: true,
      cell: ({ definition: { name, kind }, [of]: figures }) => <Figure kind={kind} value={figures[name]} />,
    }),
  ),
];

const TRADES: readonly Column<RoundTrip>[] = [
  {
    head: 'Closed',
    cell: ({ closed, tid }) => (
      <a href={`/fills/${tid}`}>
        <Moment at={closed} />
      </a>
    ),
  },
  { head: 'Opened', cell: ({ opened, whole }) => (whole ? <Moment at={opened} /> : 'before the history') },
  { head: 'Coin', cell: ({ coin }) => coin },
  { head: 'Side', cell: ({ direction }) => direction },
  { head: 'Size', isNumber: true, cell: ({ size }) => <Digits value={size} /> },
  { head: 'Entry', isNumber: true, cell: ({ entry_price: price }) => <Digits value={price} /> },
  { head: 'Exit', isNumber: true, cell: ({ exit_price: price }) => <Digits value={price} /> },
  { head: 'Fees', isNumber: true, cell: ({ fees }) => <Usd value={fees} /> },
  { head: 'Funding', isNumber: true, cell: ({ funding }) => <Gain value={funding} /> },
  { head: 'Best', isNumber: true, cell: ({ mfe, resolution }) => <Excursion value={mfe} seen={resolution} /> },
  { head: 'Worst', isNumber: true, cell: ({ mae, resolution }) => <Excursion value={mae} seen={resolution} /> },
  {
    head: 'Net PnL',
    isNumber: true,
    cell: ({ net_pnl: pnl }) => <Gain value={pnl} />,
    by: ({ net_pnl: pnl }) => Number(pnl),
  },
];
