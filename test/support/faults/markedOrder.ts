// Orders that a test marks by their client order id, for rules that are to fail on them.
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';

const MARKS = { decideThrows: '0xdead', foldThrows: '0xfade' } as const;

export type Mark = keyof typeof MARKS;

export const markedCloid = (mark: Mark): string => MARKS[mark].padEnd(34, '0');

export const isMarked = (command: AccountCommand, mark: Mark): boolean =>
  command.type === 'placeOrders' && command.orders.some(({ cloid }) => cloid?.startsWith(MARKS[mark]));
