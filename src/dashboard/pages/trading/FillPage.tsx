// The page of a fill with its evidence.
import type { ExplainedFill } from '../../api/contract.ts';
import { liquidationWords } from '../../domain/account/orderLife.ts';
import { readWireFill } from '../../domain/account/wireAccount.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { EvidenceView } from '../../parts/account/EvidenceView.tsx';
import { Shown, useInfo } from '../../parts/answers.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Digits, Gain, Moment, Side, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { aboutAccount } from '../../state/chosenAccount.ts';

export default function FillPage({ tid }: { readonly tid: string }) {
  const asked = useInfo<Partial<ExplainedFill>>(aboutAccount({ type: 'explainFill', tid: Number(tid) }));
  return (
    <Shell title={`Fill ${tid}`}>
      <Shown asked={asked} lines={6}>
        {({ fill, evidence }) =>
          fill === undefined || evidence === undefined ? (
            <p>This account has no such fill, or it is older than its kept history.</p>
          ) : (
            <>
              <FillFacts fill={fill} />
              <h2>What it was made of</h2>
              <EvidenceView evidence={evidence} filledMs={fill.time} />
              <AsOf asked={asked} />
            </>
          )
        }
      </Shown>
    </Shell>
  );
}

function FillFacts({ fill: wire }: Pick<ExplainedFill, 'fill'>) {
  const fill = readWireFill(wire);
  const { startPosition, cloid, liquidation } = wire;
  return (
    <Facts
      facts={[
        { term: 'Time', value: <Moment at={fill.timeMs} /> },
        { term: 'Coin', value: <a href={`/fills?coin=${encodeURIComponent(fill.coin)}`}>{fill.coin}</a> },
        {
          term: 'Side',
          value: (
            <>
              {<Side side={fill.side} />} {fill.direction}
            </>
          ),
        },
        { term: 'Price', value: <Digits value={fill.price} /> },
        { term: 'Size', value: <Digits value={fill.size} /> },
        { term: 'Role', value: fill.liquidity },
        { term: 'Fee', value: <Usd value={fill.fee} /> },
        { term: 'Closed PnL', value: <Gain value={fill.closedPnl} /> },
        { term: 'Position before', value: <Digits value={startPosition} /> },
        { term: 'Order', value: <a href={`/orders/${fill.oid}`}>{fill.oid}</a> },
        cloid !== undefined && { term: 'cloid', value: <code>{cloid}</code> },
        liquidation !== undefined && { term: 'Liquidation', value: liquidationWords(liquidation.method) },
        liquidation !== undefined && { term: 'Mark at the liquidation', value: <Digits value={liquidation.markPx} /> },
      ]}
    />
  );
}
