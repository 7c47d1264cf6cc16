// Closes a position at the market: a reduce-only order that takes what the book has within 5 % of the mid.
import { useState } from 'preact/hooks';
import { closePosition } from '../../api/acts.ts';
import type { OpenPosition } from '../../domain/wire/accountState.ts';
import { marks } from '../../state/marks.ts';
import { Dialog } from '../Dialog.tsx';
import { UnknownUntil } from './UnknownUntil.tsx';

export function ClosePosition({ position }: { readonly position: OpenPosition }) {
  const [isAsked, setIsAsked] = useState(false);
  const [untilMs, setUntilMs] = useState<number>();
  const { coin, side, size } = position;
  const mid = marks.value[coin];
  return (
    <>
      <button type="button" class="small" disabled={mid === undefined} onClick={() => setIsAsked(true)}>
        Close
      </button>
      {isAsked && mid !== undefined && (
        <Dialog
          title={`Close the ${side} position in ${coin}?`}
          act="Close it"
          onAct={() => closePosition(position, mid, setUntilMs)}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {side === 'long' ? 'Sells' : 'Buys'} {size} {coin} at the market, now about {mid}, not beyond 5 % of it.
          </p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}
