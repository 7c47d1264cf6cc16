// The lines of the shell's notices and of the toasts, each of a kind. Toasts come seldom, so a toast may stand for many lines.

export type NoticeKind = 'fill' | 'liquidation' | 'margin' | 'funding' | 'access' | 'invoice' | 'history';

export interface Notice {
  readonly kind: NoticeKind;
  readonly text: string;
  /** ms since the epoch */
  readonly timeMs: number;
  /** Where more of it is; a page of the dashboard. */
  readonly to?: string;
}

/** So many are kept, the newest. */
export const NOTICES_MAX = 50;
/** Between two announcements, ms. */
export const ANNOUNCE_EVERY_MS = 5_000;

/** True for a notice that may interrupt the reader. */
const URGENT: ReadonlySet<NoticeKind> = new Set(['fill', 'liquidation', 'margin']);

export const isUrgent = ({ kind }: Notice): boolean => URGENT.has(kind);

/**
 * A line of the channel `notification` as a notice.
 * @returns undefined for fills: the channel of fills brings all of them
 */
export function noticeOf(text: string, timeMs: number): Notice | undefined {
  if (text.startsWith('Resting order filled')) return undefined;
  if (text.startsWith('Liquidation')) return { kind: 'liquidation', text, timeMs, to: '/fills' };
  if (text.startsWith('Margin warning')) return { kind: 'margin', text, timeMs, to: '/positions' };
  if (/\binvoice\b/i.test(text)) return { kind: 'invoice', text, timeMs, to: '/billing' };
  return { kind: 'access', text, timeMs, to: '/billing' };
}

/** Adds notices. @param notices newest first @returns newest first */
export const withNotices = (notices: readonly Notice[], more: readonly Notice[]): readonly Notice[] =>
  [...more.toReversed(), ...notices].slice(0, NOTICES_MAX);

const NAMES: Readonly<Record<NoticeKind, readonly [one: string, many: string]>> = {
  fill: ['fill', 'fills'],
  liquidation: ['liquidation', 'liquidations'],
  margin: ['margin warning', 'margin warnings'],
  funding: ['funding payment', 'funding payments'],
  access: ['message', 'messages'],
  invoice: ['message about an invoice', 'messages about invoices'],
  history: ['reload', 'reloads'],
};

/**
 * The sentence for the notices that have come since the last toast. @param notices at least one, in the order in which they came
 */
export function announcement(notices: readonly Notice[]): string {
  const last = notices.at(-1) as Notice;
  if (notices.length === 1) return last.text;
  const counts = new Map<NoticeKind, number>();
  for (const { kind } of notices) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const parts = [...counts].map(([kind, count]) => `${count} ${NAMES[kind][count === 1 ? 0 : 1]}`);
  return `${parts.join(', ')}. The last: ${last.text}`;
}
