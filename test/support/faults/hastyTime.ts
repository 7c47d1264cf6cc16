// A time for rules alone that runs faster than the clock, so that five minutes of slices pass in a quarter of one. Every
// process of a test counts it from the same moment.

/** Rule time passes this much faster. */
const HASTE = 20;

export interface HastyTime {
  /** Time for the rules at a time of the clock, ms. */
  of(clockMs: number): number;
  /** First time of the clock at which it is that late for the rules. */
  clockAt(ruleMs: number): number;
}

export function hastyTime(fromMs: number): HastyTime {
  return {
    of: (clockMs) => fromMs + (clockMs - fromMs) * HASTE,
    clockAt: (ruleMs) => Math.ceil(fromMs + (ruleMs - fromMs) / HASTE),
  };
}
