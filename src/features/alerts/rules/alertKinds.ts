// The kinds of alerts and their settings, and how many of them a user may have. The API publishes them, and the jobs keep to them.
import type { Plan } from '../../../shared/domain/plan.ts';

/** How an endpoint is told. */
export const ALERT_CHANNELS = ['webhook', 'mail', 'telegram'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

/** The kinds that an endpoint can ask for. */
export const ALERT_KINDS = [
  ...(['fill', 'order_ended', 'liquidation', 'margin', 'drawdown'] as const),
  ...(['house_rule', 'bot_silent', 'trial_end', 'new_key', 'new_device'] as const),
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** `type` of a message: `test` is sent only when its user asks for it. */
export type MessageType = AlertKind | 'test';

/** Endpoints of one user. Each is a place of its own among the deliveries that are under way. */
export const ENDPOINTS_MAX: Readonly<Record<Plan, number>> = { basic: 3, pro: 10 };
/**
 * Deliveries of an endpoint that may wait, of about 700 bytes each. At the bound the endpoint's events stay in the history, from which
 * they are taken later: nothing is dropped. An entry is told whole, so those of one entry may be beyond it.
 */
export const WAITING_MAX = 1000;
/** Dead letters that are kept of an endpoint; the oldest go first. */
export const DEAD_MAX = 1000;
/** Tests of one endpoint that may wait. */
export const TESTS_WAITING_MAX = 5;

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
