// Asks for the leverage and the margin mode of a coin, and sets them.
import { useEffect, useState } from 'preact/hooks';
import { type CoinFacts, factsOf, type LeverageWish, updateLeverage } from '../../state/acts.ts';
import { Dialog } from '../Form.tsx';

interface Props extends LeverageWish {
  readonly coin: string;
  readonly onChanged?: () => void;
  readonly onClose: () => void;
}

export default function LeverageDialog({ coin, leverage, marginMode, onChanged, onClose }: Props) {
  const [facts, setFacts] = useState<CoinFacts>();
  const [wanted, setWanted] = useState(leverage);
  const [mode, setMode] = useState(marginMode);
  useEffect(() => void factsOf(coin).then(setFacts, () => undefined), [coin]);
  return (
    <Dialog
      title={`Leverage of ${coin}`}
      act={`Set ${wanted}x ${mode}`}
      onAct={async () => {
        await updateLeverage(coin, { leverage: wanted, marginMode: mode });
        onChanged?.();
      }}
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
