// When funding is settled next, and what it would be at the rates of now.
import type { ExplainedFunding } from '../../api/contract.ts';
import { countdown } from '../../domain/timeText.ts';
import { nowMs } from '../../state/clock.ts';
import { Gain } from '../numbers.tsx';

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
