// How events of the failure lab change an account: actions that wait for their latency, and orders that are held.
import { unreachable } from '../../../shared/domain/assert.ts';
import { NO_LAB, withDecided, withDelayed, withNote, withoutHeld } from '../account/labState.ts';
import type { AccountEvent } from '../messages/event.ts';
import { updateOrder, updateTrigger, type WritableAccount } from './writableAccount.ts';

type LabEvent = Extract<
  AccountEvent,
  { readonly type: 'actionDelayed' | 'delayedActionDecided' | 'delayedActionsDropped' | 'orderHeld' | 'orderLetGo' }
>;

export function evolveLab(writable: WritableAccount, event: LabEvent, timeMs: number): void {
  const state = writable.account;
  const lab = state.lab ?? NO_LAB;
  switch (event.type) {
    case 'actionDelayed': {
      const { number, dueMs, note, command, oids, key } = event;
      state.lab = withDelayed(lab, { number, dueMs, note, command, ...(key && { key }) });
      const act = command.type === 'cancelOrders' ? 'cancel' : 'modify';
      for (const oid of oids) {
        const order = state.orders.get(oid) ?? state.triggers.get(oid);
        const notes = withNote(order?.lab, { ...note, act });
        if (state.triggers.has(oid)) updateTrigger(writable, oid, { lab: notes });
        else updateOrder(writable, oid, { lab: notes });
      }
      return;
    }
    case 'delayedActionDecided':
      state.lab = withDecided(lab, { number: event.number, atMs: timeMs, outcome: event.outcome });
      return;
    case 'delayedActionsDropped':
      state.lab = { ...lab, waiting: [] };
      return;
    case 'orderHeld':
      state.lab = { ...lab, held: [...lab.held, { oid: event.oid, untilMs: event.untilMs }] };
      return;
    case 'orderLetGo':
      state.lab = withoutHeld(lab, event.oid);
      return;
    default:
      unreachable(event);
  }
}
