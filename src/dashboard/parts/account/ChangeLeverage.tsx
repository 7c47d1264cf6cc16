// Leverage and margin mode of a coin, with or without a position in it. The script of the dialog comes when it is first wanted.
import { useState } from 'preact/hooks';
import type { LeverageWish } from '../../state/acts.ts';
import { laterPage } from '../laterPage.tsx';

const LeverageDialog = laterPage(() => import('./LeverageDialog.tsx'), null);

interface Props extends LeverageWish {
  readonly coin: string;
  readonly onChanged?: () => void;
}

export function ChangeLeverage(props: Props) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <button type="button" class="small" title="Change leverage and margin mode" onClick={() => setIsAsked(true)}>
        {props.leverage}x {props.marginMode}
      </button>
      {isAsked && <LeverageDialog {...props} onClose={() => setIsAsked(false)} />}
    </>
  );
}
