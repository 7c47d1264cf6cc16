// The life of an order as a line of time: each step with its moment and the time since the step before.
import type { ComponentChildren } from 'preact';
import type { ExplainedFill, ExplainedOrder } from '../../api/contract.ts';
import { isRefused, statusWords } from '../../domain/history/evidenceWords.ts';
import { type LifeStep, orderLife } from '../../domain/history/orderLife.ts';
import { between } from '../../domain/timeText.ts';
import { readWireFill } from '../../domain/wire/fill.ts';
import { readOpenOrder } from '../../domain/wire/openOrder.ts';
import { EvidenceView } from '../account/EvidenceView.tsx';
import { Digits, Moment } from '../numbers.tsx';
import { labWords } from './labWords.ts';

export function TimeLine({ explained }: { readonly explained: ExplainedOrder }) {
  const { order: state, fills } = explained;
  const { placedMs, triggerCondition } = readOpenOrder(state.order);
  const steps = orderLife({
    placedMs,
    triggerCondition,
    status: state.status,
    statusMs: state.statusTimestamp,
    fillTimesMs: fills.map(({ fill }) => fill.time),
  });
  return (
    <section aria-labelledby="life">
      <h2 id="life">Its life</h2>
      <ol class="life">
        {steps.map((step, i) => (
          <li key={i} data-step={step.type}>
            {(step.type !== 'status' || state.status !== 'open') && (
              <p>
                <Moment at={step.timeMs} />{' '}
                {i > 0 && <span class="quiet">{between((steps[i - 1] as LifeStep).timeMs, step.timeMs)}</span>}
              </p>
            )}
            {stepOf(step, explained)}
          </li>
        ))}
      </ol>
      {explained.lab.length > 0 && (
        <>
          <h3>From the failure lab</h3>
          <ul>
            {explained.lab.map((draw, i) => (
              <li key={i}>
                <Moment at={draw.time} /> {labWords(draw)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function stepOf(step: LifeStep, { order: state, fills, ended }: ExplainedOrder): ComponentChildren {
  switch (step.type) {
    case 'placed':
      return <p>Placed</p>;
    case 'triggered':
      return <p>Triggered{state.order.isTrigger && `: ${state.order.triggerCondition}`}</p>;
    case 'fill':
      return <Filled {...(fills[step.index] as ExplainedFill)} />;
    case 'status':
      return (
        <p>
          <b>{state.status === 'open' ? 'Open now' : statusWords(state.status)}</b> <End status={state.status} ended={ended} />
        </p>
      );
  }
}

function Filled({ fill: wire, evidence }: ExplainedFill) {
  const fill = readWireFill(wire);
  return (
    <>
      <p>
        <a href={`/fills/${fill.tid}`}>Filled</a> <Digits value={fill.size} /> at <Digits value={fill.price} /> as{' '}
        {fill.liquidity}
      </p>
      <details>
        <summary>What it was made of</summary>
        <EvidenceView evidence={evidence} filledMs={fill.timeMs} />
      </details>
    </>
  );
}

function End({ status, ended }: { readonly status: string; readonly ended: ExplainedOrder['ended'] }) {
  if (ended === null) return isRefused(status) ? <>Its reason was in the answer to the bot; it is not kept.</> : null;
  return (
    <>
      {ended.text}
      {ended.gaveWayTo !== null && (
        <>
          {' '}
          <a href={`/orders/${ended.gaveWayTo}`}>Order {ended.gaveWayTo}</a>
        </>
      )}
    </>
  );
}
