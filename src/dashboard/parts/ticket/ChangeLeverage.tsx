// Leverage and margin mode of a coin, with or without a position in it.
import { useEffect, useState } from 'preact/hooks';
import { type LeverageWish, updateLeverage } from '../../api/acts.ts';
import { type CoinFacts, factsOf } from '../../api/coinFacts.ts';
import { Dialog } from '../Dialog.tsx';

interface Props extends LeverageWish {
  readonly coin: string;
  readonly onChanged?: () => void;
}

export function ChangeLeverage({ coin, leverage, marginMode, onChanged }: Props) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <button type="button" class="small" title="Change leverage and margin mode" onClick={() => setIsAsked(true)}>
        {leverage}x {marginMode}
      </button>
      {isAsked && (
        <Asked
          {...{ coin, leverage, marginMode }}
          onClose={() => setIsAsked(false)}
          onAct={async (wish) => {
            await updateLeverage(coin, wish);
            onChanged?.();
          }}
        />
      )}
    </>
  );
}

interface AskedProps extends LeverageWish {
  readonly coin: string;
  readonly onAct: (wish: LeverageWish) => Promise<void>;
  readonly onClose: () => void;
}

function Asked({ coin, leverage, marginMode, onAct, onClose }: AskedProps) {
  const [facts, setFacts] = useState<CoinFacts>();
  const [wanted, setWanted] = useState(leverage);
  const [mode, setMode] = useState(marginMode);
  useEffect(() => void factsOf(coin).then(setFacts, () => undefined), [coin]);
  return (
    <Dialog
      title={`Leverage of ${coin}`}
      act={`Set ${wanted}x ${mode}`}
      onAct={() => onAct({ leverage: wanted, marginMode: mode })}
      onClose={onClose}
    >
      <label class="field">
        Leverage, 1 to {facts?.maxLeverage ?? '…'}
        <input
          type="number"
          min={1}
          max={facts?.maxLeverage ?? leverage}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(Number(currentTarget.value))}
        />
      </label>
      <label class="field">
        Margin mode
        <select
          value={mode}
          disabled={facts?.isIsolatedOnly === true}
          onChange={({ currentTarget }) => setMode(currentTarget.value === 'cross' ? 'cross' : 'isolated')}
        >
          <option value="cross">cross: the whole account covers it</option>
          <option value="isolated">isolated: its own margin covers it</option>
        </select>
      </label>
    </Dialog>
  );
}
