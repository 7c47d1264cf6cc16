// The life of an order, in the order of time: placed, triggered, each fill, and how it stands or has ended.

/** The facts that the steps of an order are made from. */
interface LifeFacts {
  readonly placedMs: number;
  /** The trigger of an order that had one. */
  readonly triggerCondition: string | null;
  readonly status: string;
  readonly statusMs: number;
  /** Of each fill. */
  readonly fillTimesMs: readonly number[];
}

export type LifeStep =
  | { readonly type: 'placed' | 'triggered' | 'status'; readonly timeMs: number }
  /** @see LifeFacts.fillTimesMs */
  | { readonly type: 'fill'; readonly timeMs: number; readonly index: number };

/**
 * The steps, oldest first. When a trigger fired is known from the status while it is the last one, and from the first fill after it;
 * an order that was canceled before has no such step.
 */
export function orderLife({ placedMs, triggerCondition, status, statusMs, fillTimesMs }: LifeFacts): readonly LifeStep[] {
  const fills = fillTimesMs
    .map((timeMs, index) => ({ type: 'fill' as const, timeMs, index }))
    .sort((a, b) => a.timeMs - b.timeMs || a.index - b.index);
  const isSaid = status === 'triggered';
  const firedMs = isSaid ? statusMs : triggerCondition === null ? undefined : fills[0]?.timeMs;
  const fired: LifeStep[] = firedMs === undefined ? [] : [{ type: 'triggered', timeMs: firedMs }];
  return [
    { type: 'placed', timeMs: placedMs },
    ...fired,
    ...fills,
    ...(isSaid ? [] : [{ type: 'status' as const, timeMs: statusMs }]),
  ];
}
