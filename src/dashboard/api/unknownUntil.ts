// Whether a failure leaves open what became of an action, and for how long.

/** Longer than a command waits for its account, where the server has not said how long. */
const UNKNOWN_MS = 10_000;

/**
 * @param refusal what the server answered; undefined where nothing came
 * @returns from when on the outcome is final, ms since the epoch; undefined = nothing was done
 */
export function unknownUntil(
  refusal: { readonly status: number; readonly message: string } | undefined,
  nowMs: number,
): number | undefined {
  if (refusal === undefined) return nowMs + UNKNOWN_MS;
  if (refusal.status !== 504) return undefined;
  const [, told] = /unknown until (\S+Z)/.exec(refusal.message) ?? [];
  const toldMs = told === undefined ? Number.NaN : Date.parse(told);
  return Number.isNaN(toldMs) ? nowMs : toldMs;
}
