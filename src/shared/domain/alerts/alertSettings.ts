// From where on an endpoint is told of a margin ratio, a fall of the equity, and a bot that says nothing.

export interface AlertSettings {
  /** Margin ratios, percent: decimal text, above 0 and at most 100, at which a pool is liquidated. */
  readonly marginPercents: readonly string[];
  /** Fall from the peak of the equity, percent: decimal text. */
  readonly drawdownPercent: string;
  /** Without a request of the account's API keys. */
  readonly silentMinutes: number;
}

/** Of an endpoint whose user has said nothing else. */
export const DEFAULT_SETTINGS: AlertSettings = { marginPercents: ['80'], drawdownPercent: '10', silentMinutes: 15 };

/** Margin ratios of one endpoint. */
export const MARGIN_PERCENTS_MAX = 5;
/** A week: who is away for longer is told of what else ends. */
export const SILENT_MINUTES_MAX = 10_080;
