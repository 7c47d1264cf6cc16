// Cancels an open order. Asked once, sent once.
import { useState } from 'preact/hooks';
import { cancelOrder } from '../../api/acts.ts';
import type { OpenOrder } from '../../domain/wire/openOrder.ts';
import { Dialog } from '../Dialog.tsx';

export function CancelOrder({ order }: { readonly order: OpenOrder }) {
  const [isAsked, setIsAsked] = useState(false);
  const { coin, side, size, limitPrice } = order;
  return (
    <>
      <button type="button" class="small" onClick={() => setIsAsked(true)}>
        Cancel
      </button>
      {isAsked && (
        <Dialog title="Cancel the order?" act="Cancel it" onAct={() => cancelOrder(order)} onClose={() => setIsAsked(false)}>
          <p>
            {side} {size} {coin} at {limitPrice}
          </p>
        </Dialog>
      )}
    </>
  );
}
