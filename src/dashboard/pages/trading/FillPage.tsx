// One fill and what it was made of.

import { readWireFill, type WireFill } from '../../domain/wire/fill.ts';
import { type Evidence, EvidenceView } from '../../parts/account/EvidenceView.tsx';
import { Digits, Gain, Moment, Side, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Shown } from '../../parts/states.tsx';
import { useInfo } from '../../parts/useAnswer.ts';

interface Explained {
  readonly status: string;
  readonly fill?: WireFill;
  readonly evidence?: Evidence;
}

export default function FillPage({ tid }: { readonly tid: string }) {
  const asked = useInfo<Explained>({ type: 'explainFill', tid: Number(tid) });
  return (
    <Shell title={`Fill ${tid}`}>
      <Shown asked={asked} lines={6}>
        {({ fill, evidence }) =>
          fill === undefined ? (
            <p>This account has no such fill, or it is older than its kept history.</p>
          ) : (
            <>
              <Facts fill={fill} />
              {evidence && <EvidenceView evidence={evidence} />}
            </>
          )
        }
      </Shown>
    </Shell>
  );
}

function Facts({ fill: wire }: { readonly fill: WireFill }) {
  const fill = readWireFill(wire);
  return (
    <dl class="facts">
      <div>
        <dt>Time</dt>
        <dd>
          <Moment at={fill.timeMs} />
        </dd>
      </div>
      <div>
        <dt>Coin</dt>
        <dd>{fill.coin}</dd>
      </div>
      <div>
        <dt>Side</dt>
        <dd>
          <Side side={fill.side} /> {fill.direction}
        </dd>
      </div>
      <div>
        <dt>Price</dt>
        <dd>
          <Digits value={fill.price} />
        </dd>
      </div>
      <div>
        <dt>Size</dt>
        <dd>
          <Digits value={fill.size} />
        </dd>
      </div>
      <div>
        <dt>Role</dt>
        <dd>{fill.liquidity}</dd>
      </div>
      <div>
        <dt>Fee</dt>
        <dd>
          <Usd value={fill.fee} />
        </dd>
      </div>
      <div>
        <dt>Closed PnL</dt>
        <dd>
          <Gain value={fill.closedPnl} />
        </dd>
      </div>
      <div>
        <dt>Order</dt>
        <dd>
          <a href={`/orders/${fill.oid}`}>{fill.oid}</a>
        </dd>
      </div>
    </dl>
  );
}
