// Cancels an open order. Asked once, sent once.
import { useState } from 'preact/hooks';
import { cancelOrders } from '../../api/acts.ts';
import type { OpenOrder } from '../../domain/wire/openOrder.ts';
import { Dialog } from '../Dialog.tsx';
import { UnknownUntil } from './UnknownUntil.tsx';

export function CancelOrder({ order }: { readonly order: OpenOrder }) {
  const [isAsked, setIsAsked] = useState(false);
  const [untilMs, setUntilMs] = useState<number>();
  const { coin, side, size, limitPrice } = order;
  return (
    <>
      <button type="button" class="small" onClick={() => setIsAsked(true)}>
        Cancel
      </button>
      {isAsked && (
        <Dialog
          title="Cancel the order?"
          act="Cancel it"
          onAct={() => cancelOrders([order], setUntilMs)}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {side} {size} {coin} at {limitPrice}
          </p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}
