// Cash and positions after a decision's events, without folding the rest of them: orders, queue and consumption. After every
// fill somebody asks whether the account is still safe, and nearly always it is.
import type { Account, Position } from '../account/account.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Decided } from './decision.ts';

type Money = Pick<Account, 'cash' | 'positions'>;

/** The account itself when no money moved; `'unknown'` when only a whole fold can tell, because not all of it moved by planned fills. */
export function moneyAfter(account: Account, { events, plans }: Decided): Money | 'unknown' {
  let money: Money = account;
  let positions: Map<number, Position> | undefined;
  for (const event of events) {
    if (MONEY_MOVES.has(event.type)) return 'unknown';
    if (event.type !== 'orderFilled') continue;
    const plan = plans?.get(event);
    if (!plan) return 'unknown';
    const { cash, position } = plan.after;
    positions ??= new Map(account.positions);
    if (position) positions.set(event.asset, position);
    else positions.delete(event.asset);
    money = { cash, positions };
  }
  return money;
}

/** True when events of these can bring a pocket below its maintenance margin. */
export function moveMoney(events: readonly AccountEvent[]): boolean {
  return events.some(({ type }) => type === 'orderFilled' || MONEY_MOVES.has(type));
}

/** Events beside fills after which a pocket may be below its maintenance margin. */
const MONEY_MOVES: ReadonlySet<AccountEvent['type']> = new Set<AccountEvent['type']>([
  'isolatedMarginMoved',
  'fundingSettled',
  'positionTakenOver',
  'positionClosed',
  'balanceAdjusted',
  'positionSettled',
  'liquidated',
]);
