// Told while no answer to an act has come: until when it may still happen. It is being looked for meanwhile.
import { moment } from '../../domain/timeText.ts';
import { nowMs } from '../../state/clock.ts';
import { timeZone } from '../../state/settings.ts';

/** @param props.timeMs ms since the epoch; undefined = the answer has come, or is still waited for as usual */
export function UnknownUntil({ timeMs }: { readonly timeMs: number | undefined }) {
  if (timeMs === undefined) return null;
  return (
    <p role="status">
      No answer: unknown until {moment(timeMs, { zone: timeZone.value, nowMs: nowMs.peek() })}. It is being looked for.
    </p>
  );
}
