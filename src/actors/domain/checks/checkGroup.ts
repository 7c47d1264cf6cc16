// The shape of a TP/SL group, judged from its payload alone before any order of it is looked at (trading-rules 2.5): what
// may belong together, in which order, and that every child can only reduce.
import type { Grouping, OrderRequest, TriggerOrderType } from '../messages/command.ts';
import type { ReadOrder } from './readOrder.ts';

export const GROUP_REFUSALS = {
  triggerFirst: 'Main order cannot be trigger order.',
  wrongNumber: 'Unexpected number of trigger orders',
  wrongType: 'Trigger order has unexpected type.',
} as const;

/** At most one take-profit and one stop. */
const CHILDREN_MAX = 2;

interface TriggerRequest extends OrderRequest {
  readonly type: TriggerOrderType;
}

/** The refusal of a group of this shape, or undefined. */
export function groupRefusal(orders: readonly ReadOrder[], grouping: Grouping): string | undefined {
  if (grouping === 'na') return undefined;
  const [first, ...rest] = orders.map(({ request }) => request);
  if (!first) return undefined;
  if (grouping === 'positionTpsl') return childrenRefusal([first, ...rest], first);
  if (isTrigger(first)) return GROUP_REFUSALS.triggerFirst;
  return childrenRefusal(rest, { asset: first.asset, side: first.side === 'buy' ? 'sell' : 'buy' });
}

function childrenRefusal(children: readonly OrderRequest[], wanted: Pick<OrderRequest, 'asset' | 'side'>): string | undefined {
  const fits = (child: OrderRequest) => child.reduceOnly && child.asset === wanted.asset && child.side === wanted.side;
  const kinds = children.flatMap((child) => (isTrigger(child) && fits(child) ? [child.type.tpsl] : []));
  if (kinds.length < children.length) return GROUP_REFUSALS.wrongType;
  const isPair = kinds.length > 0 && kinds.length <= CHILDREN_MAX && new Set(kinds).size === kinds.length;
  return isPair ? undefined : GROUP_REFUSALS.wrongNumber;
}

function isTrigger(request: OrderRequest): request is TriggerRequest {
  return request.type.kind === 'trigger';
}
