// Open positions, each with the distance of its liquidation; the button that closes one; and the next funding of all.
import { useEffect, useState } from 'preact/hooks';
import type { ExplainedFunding } from '../../api/contract.ts';
import type { OpenPosition } from '../../domain/account/wireAccount.ts';
import { distanceInRanges, liquidationDistance, markOf } from '../../domain/market/liquidationDistance.ts';
import { countdown, negated, percent } from '../../domain/texts.ts';
import { closePosition } from '../../state/acts.ts';
import { dayRanges, wantDayRanges } from '../../state/candles.ts';
import { nowMs } from '../../state/clock.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Dialog, UnknownUntil } from '../Form.tsx';
import { Cut, Digits, Gain, GainPercent, Side, Usd } from '../numbers.tsx';
import { ChangeLeverage } from './ChangeLeverage.tsx';

const distanceOf = (position: OpenPosition): number | undefined =>
  liquidationDistance(markOf(position), position.liquidationPrice);

const COLUMNS: readonly Column<OpenPosition>[] = [
  { head: 'Coin', cell: ({ coin }) => coin, by: ({ coin }) => coin },
  {
    head: 'Side',
    cell: ({ coin, side, leverage, marginMode }) => (
      <>
        <Side side={side} /> <ChangeLeverage {...{ coin, leverage, marginMode }} />
      </>
    ),
  },
  { head: 'Size', isNumber: true, cell: ({ size }) => <Digits value={size} />, by: ({ size }) => Number(size) },
  { head: 'Value', isNumber: true, cell: ({ notional }) => <Usd value={notional} />, by: ({ notional }) => Number(notional) },
  {
    head: 'Entry',
    isNumber: true,
    cell: ({ entryPrice }) => <Digits value={entryPrice} />,
    by: ({ entryPrice }) => Number(entryPrice),
  },
  {
    head: 'Mark',
    isNumber: true,
    cell: (position) => <Digits value={markOf(position)} />,
    by: (position) => Number(markOf(position)),
  },
  {
    head: 'PnL',
    isNumber: true,
    cell: ({ unrealizedPnl }) => <Gain value={unrealizedPnl} />,
    by: ({ unrealizedPnl }) => Number(unrealizedPnl),
  },
  {
    head: 'ROE',
    help: 'Return on the margin',
    isNumber: true,
    cell: ({ returnOnEquity }) => <GainPercent value={returnOnEquity} />,
    by: ({ returnOnEquity }) => Number(returnOnEquity),
  },
  {
    head: 'Margin',
    isNumber: true,
    cell: ({ marginUsed }) => <Usd value={marginUsed} />,
    by: ({ marginUsed }) => Number(marginUsed),
  },
  {
    head: 'Liquidation',
    help: 'The mark at which the position is liquidated',
    isNumber: true,
    cell: ({ liquidationPrice }) => <Cut value={liquidationPrice} />,
  },
  {
    head: 'Distance',
    help: 'How far the mark is from the liquidation: as a share, and in ATR of the day, the mean true range of the last 14 whole days (UTC). 2 ATR are two usual days of movement.',
    isNumber: true,
    cell: (position) => <Distance position={position} />,
    by: (position) => distanceOf(position) ?? Number.POSITIVE_INFINITY,
  },
  {
    head: 'Funding',
    help: 'Since the position was opened; + was received',
    isNumber: true,
    cell: ({ fundingPaid }) => <Gain value={negated(fundingPaid)} />,
    by: ({ fundingPaid }) => -Number(fundingPaid),
  },
  { head: '', cell: (position) => <ClosePosition position={position} /> },
];

interface Props {
  readonly positions: readonly OpenPosition[];
  /** Questions for ranges of the day that need not wait for each other. */
  readonly rangesAtOnce?: number;
}

export function PositionTable({ positions, rangesAtOnce = 1 }: Props) {
  const nearestFirst = [...positions].sort((a, b) => (distanceOf(a) ?? 1e9) - (distanceOf(b) ?? 1e9)).map(({ coin }) => coin);
  const coins = [...nearestFirst].sort().join(' ');
  useEffect(() => wantDayRanges(nearestFirst, rangesAtOnce), [coins]);
  return (
    <DataTable
      caption="Open positions"
      columns={COLUMNS}
      rows={positions}
      keyOf={({ coin }) => coin}
      empty={
        <p>
          No position. <a href="/connect">Connect a bot</a> to open one.
        </p>
      }
    />
  );
}

/** `12.3 % · 2.1 ATR` */
function Distance({ position }: { readonly position: OpenPosition }) {
  const share = distanceOf(position);
  if (share === undefined) return <span class="number none">–</span>;
  const { coin, liquidationPrice } = position;
  const ranges = distanceInRanges(markOf(position), liquidationPrice, dayRanges.value[coin]);
  return (
    <span class="number">
      {percent(share, { decimals: 1 })}
      {ranges !== undefined && <span class="quiet"> · {ranges.toFixed(1)} ATR</span>}
    </span>
  );
}

/** Closes a position at the market: a reduce-only order that takes what the book has within 5 % of the mark. */
function ClosePosition({ position }: { readonly position: OpenPosition }) {
  const [isAsked, setIsAsked] = useState(false);
  const [untilMs, setUntilMs] = useState<number>();
  const { coin, side, size } = position;
  const mark = markOf(position);
  return (
    <>
      <button type="button" class="small" onClick={() => setIsAsked(true)}>
        Close
      </button>
      {isAsked && (
        <Dialog
          title={`Close the ${side} position in ${coin}?`}
          act="Close it"
          onAct={() => closePosition(position, mark, setUntilMs)}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {side === 'long' ? 'Sells' : 'Buys'} {size} {coin} at the market, now about {mark}, not beyond 5 % of it.
          </p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}

/** The time of the next funding payment, and its amount at the rates of now. */
export function NextFunding({
  funding: { nextTime, estimate },
}: {
  readonly funding: Pick<ExplainedFunding, 'nextTime' | 'estimate'>;
}) {
  return (
    <>
      <Gain value={estimate} /> <span class="quiet">in {<Countdown to={nextTime} />}, estimated</span>
    </>
  );
}

/** Time that is left, ticking. @param props.to ms since the epoch */
export function Countdown({ to }: { readonly to: number }) {
  return <span class="number">{countdown(to - nowMs.value)}</span>;
}
