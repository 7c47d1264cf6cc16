// Cancels all open orders that are shown. Asked once, sent once.
import { useState } from 'preact/hooks';
import { cancelOrders } from '../../api/acts.ts';
import type { OpenOrder } from '../../domain/wire/openOrder.ts';
import { Dialog } from '../Dialog.tsx';
import { UnknownUntil } from './UnknownUntil.tsx';

export function CancelAll({ orders }: { readonly orders: readonly OpenOrder[] }) {
  const [asked, setAsked] = useState<readonly OpenOrder[]>();
  const [untilMs, setUntilMs] = useState<number>();
  if (orders.length === 0 && asked === undefined) return null;
  return (
    <>
      <button type="button" class="small" onClick={() => setAsked(orders)}>
        Cancel all
      </button>
      {asked && (
        <Dialog
          title={`Cancel ${asked.length} open ${asked.length === 1 ? 'order' : 'orders'}?`}
          act="Cancel all"
          isDangerous
          onAct={() => cancelOrders(asked, setUntilMs)}
          onClose={() => setAsked(undefined)}
        >
          <p>Those that are open now, stops and take-profits among them. Orders that come meanwhile stay.</p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}
