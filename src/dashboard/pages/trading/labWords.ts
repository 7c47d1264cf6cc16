// A draw of a failure lab in words, as it stands beside the order that it concerns.
import type { LabDraw } from '../../api/contract.ts';

const ACTS: Readonly<Record<LabDraw['act'], string>> = { place: 'The order', modify: 'A change', cancel: 'A cancel' };

/** A sentence with the request and all that was drawn or scripted for it. */
export function labWords({ act, number, draw, fault, delayMs, answerMs, script }: LabDraw): string {
  const met = [
    delayMs !== null && `waited ${delayMs} ms`,
    answerMs !== null && `was answered ${answerMs} ms late`,
    fault !== null && `met ${fault}`,
    script?.refuse != null && `was refused (${script.refuse})`,
    script?.neverFill === true && 'is never filled',
    script?.fillAfterMs != null && `was held for ${script.fillAfterMs} ms`,
    script?.fillPercent != null && `filled ${script.fillPercent} % at once at most`,
  ].filter((words) => words !== false);
  const what = met.length === 0 ? 'met nothing' : met.join(', ');
  return `${ACTS[act]} ${what}: request ${number}, draw ${draw.toFixed(4)}${script?.cloidPrefix != null ? `, script ${script.cloidPrefix}` : ''}.`;
}
