// The period that a figure is of.

export const PERIODS = ['1d', '7d', '30d', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export function PeriodTabs({ chosen, onChoose }: { readonly chosen: Period; readonly onChoose: (period: Period) => void }) {
  return (
    <fieldset class="tabs">
      <legend class="unseen">Period</legend>
      {PERIODS.map((period) => (
        <button key={period} type="button" aria-pressed={period === chosen} onClick={() => onChoose(period)}>
          {period}
        </button>
      ))}
    </fieldset>
  );
}
