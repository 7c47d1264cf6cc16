// A log for lines that others can cause at will, such as refusals: one of each kind a minute, with the number of those
// that were left out before it. A flood of requests must not become a flood of lines.
import type { Logger } from '../../../shared/logger.ts';

const EVERY_MS = 60_000;

/** Writes a line, or counts it. @param kind lines of one kind share a minute; there must be few kinds */
export type SeldomLine = (kind: string, fields: object, text: string) => void;

export interface SeldomLog {
  readonly info: SeldomLine;
  readonly warn: SeldomLine;
  readonly error: SeldomLine;
}

export function createSeldomLog(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  now: () => number = () => performance.now(),
): SeldomLog {
  const kinds = new Map<string, { untilMs: number; leftOut: number }>();
  const line =
    (level: 'info' | 'warn' | 'error'): SeldomLine =>
    (kind, fields, text) => {
      const nowMs = now();
      const known = kinds.get(kind);
      if (known !== undefined && nowMs < known.untilMs) {
        known.leftOut += 1;
        return;
      }
      const leftOut = known?.leftOut ?? 0;
      kinds.set(kind, { untilMs: nowMs + EVERY_MS, leftOut: 0 });
      log[level]({ ...fields, ...(leftOut > 0 && { leftOut }) }, text);
    };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}
