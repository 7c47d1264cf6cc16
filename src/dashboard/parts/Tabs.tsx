// Tabs: a choice among a few views of the same thing.

interface Props<Choice extends string> {
  readonly legend: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
}

export function Tabs<Choice extends string>({ legend, choices, chosen, onChoose }: Props<Choice>) {
  return (
    <fieldset class="tabs">
      <legend class="unseen">{legend}</legend>
      {choices.map((choice) => (
        <button key={choice} type="button" aria-pressed={choice === chosen} onClick={() => onChoose(choice)}>
          {choice}
        </button>
      ))}
    </fieldset>
  );
}

const PERIODS = ['1d', '7d', '30d', 'all'] as const;
export type Period = (typeof PERIODS)[number];

/** A choice of the period of a figure. */
export const PeriodTabs = (props: { readonly chosen: Period; readonly onChoose: (period: Period) => void }) => (
  <Tabs legend="Period" choices={PERIODS} {...props} />
);
