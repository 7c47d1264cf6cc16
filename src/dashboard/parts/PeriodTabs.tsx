// The period that a figure is of.
import { Tabs } from './Tabs.tsx';

export const PERIODS = ['1d', '7d', '30d', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export const PeriodTabs = (props: { readonly chosen: Period; readonly onChoose: (period: Period) => void }) => (
  <Tabs legend="Period" choices={PERIODS} {...props} />
);
