// The life of one order: why it is open or how it ended, and each fill with what it was made of.

import { readWireFill, type WireFill } from '../../domain/wire/fill.ts';
import { readOpenOrder, type WireOpenOrder } from '../../domain/wire/openOrder.ts';
import { CancelOrder } from '../../parts/account/CancelOrder.tsx';
import { type Evidence, EvidenceView } from '../../parts/account/EvidenceView.tsx';
import { WhyOpen, type WhyOpenFacts } from '../../parts/account/WhyOpen.tsx';
import { Digits, Moment, Side } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Shown } from '../../parts/states.tsx';
import { useInfo } from '../../parts/useAnswer.ts';
import { account } from '../../state/account.ts';
import { openOrders } from '../../state/orders.ts';

interface Explained {
  readonly status: 'order' | 'unknownOid';
  readonly order?: { readonly order: WireOpenOrder; readonly status: string; readonly statusTimestamp: number };
  readonly fills?: readonly { readonly fill: WireFill; readonly evidence: Evidence }[];
  readonly open?: WhyOpenFacts | null;
  readonly ended?: { readonly text: string; readonly gaveWayTo: number | null } | null;
}

export default function OrderPage({ oid }: { readonly oid: string }) {
  // Asked again after each entry of the account that changed its orders.
  const asked = useInfo<Explained>({ type: 'explainOrder', oid: Number(oid) }, openOrders.value?.seq ?? account.value?.seq);
  return (
    <Shell title={`Order ${oid}`}>
      <Shown asked={asked} lines={8}>
        {(body) =>
          body.order === undefined ? (
            <p>This account has no such order, or it is older than its kept history.</p>
          ) : (
            <Life explained={body} />
          )
        }
      </Shown>
    </Shell>
  );
}

function Life({ explained: { order: state, fills = [], open, ended } }: { readonly explained: Explained }) {
  if (state === undefined) return null;
  const order = readOpenOrder(state.order);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Coin</dt>
          <dd>{order.coin}</dd>
        </div>
        <div>
          <dt>Side</dt>
          <dd>
            <Side side={order.side} />
            {order.reduceOnly && ' reduce-only'}
          </dd>
        </div>
        <div>
          <dt>Type</dt>
          <dd>
            {order.type} {order.timeInForce}
          </dd>
        </div>
        <div>
          <dt>Limit</dt>
          <dd>
            <Digits value={order.limitPrice} />
          </dd>
        </div>
        {order.triggerCondition !== null && (
          <div>
            <dt>Trigger</dt>
            <dd>{order.triggerCondition}</dd>
          </div>
        )}
        <div>
          <dt>Size</dt>
          <dd>
            <Digits value={order.size} />
          </dd>
        </div>
        <div>
          <dt>Left</dt>
          <dd>
            <Digits value={order.sizeLeft} />
          </dd>
        </div>
        {order.cloid !== null && (
          <div>
            <dt>cloid</dt>
            <dd>{order.cloid}</dd>
          </div>
        )}
      </dl>
      <ol class="life">
        <li>
          <Moment at={order.placedMs} /> placed
        </li>
        {[...fills].reverse().map(({ fill: wire, evidence }) => {
          const fill = readWireFill(wire);
          return (
            <li key={fill.tid}>
              <Moment at={fill.timeMs} /> <a href={`/fills/${fill.tid}`}>filled</a> <Digits value={fill.size} /> at{' '}
              <Digits value={fill.price} /> as {fill.liquidity}
              <EvidenceView evidence={evidence} />
            </li>
          );
        })}
        <li>
          <Moment at={state.statusTimestamp} /> <b>{state.status}</b>
          {ended && (
            <p>
              {ended.text}
              {ended.gaveWayTo !== null && (
                <>
                  {' '}
                  <a href={`/orders/${ended.gaveWayTo}`}>Order {ended.gaveWayTo}</a>
                </>
              )}
            </p>
          )}
        </li>
      </ol>
      {open && (
        <>
          <WhyOpen facts={open} />
          <CancelOrder order={order} />
        </>
      )}
    </>
  );
}
