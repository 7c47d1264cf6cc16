// Closes a position at the market: a reduce-only order that takes what the book has within 5 % of the mark.
import { useState } from 'preact/hooks';
import { closePosition } from '../../api/acts.ts';
import { markOf } from '../../domain/liquidationDistance.ts';
import type { OpenPosition } from '../../domain/wire/accountState.ts';
import { Dialog } from '../Dialog.tsx';
import { UnknownUntil } from './UnknownUntil.tsx';

export function ClosePosition({ position }: { readonly position: OpenPosition }) {
  const [isAsked, setIsAsked] = useState(false);
  const [untilMs, setUntilMs] = useState<number>();
  const { coin, side, size } = position;
  const mark = markOf(position);
  return (
    <>
      <button type="button" class="small" onClick={() => setIsAsked(true)}>
        Close
      </button>
      {isAsked && (
        <Dialog
          title={`Close the ${side} position in ${coin}?`}
          act="Close it"
          onAct={() => closePosition(position, mark, setUntilMs)}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {side === 'long' ? 'Sells' : 'Buys'} {size} {coin} at the market, now about {mark}, not beyond 5 % of it.
          </p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}
