// Follows the equity curve of an account for an endpoint that is told of drawdowns. Where it stands is noted with the entry that the
// endpoint has reached, so the same rows always give the same alerts. The peak is the highest point since the endpoint follows it.

import { type AlertEndpointDocument, type DrawdownNote, settingsOf } from '../../shared/alerts/alertEndpoint.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { AlertMessage } from '../domain/alertMessage.ts';
import { followEquity } from '../domain/drawdown.ts';
import { equityUpTo, type PlacedRow } from './rowsAfter.ts';

interface Followed {
  readonly alerts: ReadonlyMap<PlacedRow, AlertMessage>;
  /** As of the newest row; absent = nothing has changed. */
  readonly note?: DrawdownNote | undefined;
}

/** @param rows of all kinds, oldest first */
export async function followDrawdown(
  mongo: MongoConnection,
  { endpoint, account, after }: { readonly endpoint: AlertEndpointDocument; readonly account: string; readonly after: number },
  rows: readonly PlacedRow[],
): Promise<Followed> {
  const alerts = new Map<PlacedRow, AlertMessage>();
  if (!endpoint.kinds.includes('drawdown') || !rows.some(({ row }) => row.kind === 'equity')) return { alerts };
  const { drawdownPercent: percent } = settingsOf(endpoint);
  let note = endpoint.drawdowns?.[account];
  if (note === undefined) {
    const point = await equityUpTo(mongo, { account, upTo: after });
    note = point && followEquity(undefined, point, percent).state;
  }
  for (const placed of rows) {
    if (placed.row.kind !== 'equity') continue;
    const { row: point } = placed.row;
    const { state, alert } = followEquity(note, point, percent);
    note = state;
    if (alert !== undefined) alerts.set(placed, { type: 'drawdown', timeMs: point.timeMs, data: alert });
  }
  return { alerts, note };
}
