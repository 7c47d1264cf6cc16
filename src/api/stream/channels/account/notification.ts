// `notification`: lines of text for a person about events without a request: a resting order filled, a position
// liquidated, margin getting thin. `orderUpdates` and `userFills` report the first two to programs.
import { Type } from '@sinclair/typebox';
import type { FillRow, LedgerRow } from '../../../../actors/core/messages/historyRows.ts';
import { expiryOf, type PaidUntil } from '../../../../shared/domain/billing/subscription.ts';
import { DAY_MS } from '../../../../shared/domain/units.ts';
import { exactly } from '../../../contract/answerValues.ts';
import { LIGHT } from '../../../domain/requestPrice.ts';
import { rowsOfKind } from '../../account/accountFeeds.ts';
import { accountReader } from '../../account/accountSubscription.ts';
import { MarginWatches } from '../../account/marginWatch.ts';
import { type PrivateParts, rowStream } from '../../account/rowStream.ts';
import type { Channel } from '../../channel/channel.ts';
import { channel } from '../../channel/channelEntry.ts';
import { toMessage } from '../../channel/message.ts';

const read = accountReader('notification', {});

export const notification = channel(read, {
  about:
    'A line of text for a person, about what happens without being asked for. What is no entry of the journal (a thin margin, ' +
    'the end of a trial, an invoice) has no `seq`.',
  messages: { notification: exactly({ notification: Type.String() }) },
  hasMessagesWithoutSeq: true,
  weight: LIGHT,
  create: withWarnings,
});

/** Warnings are no entries of the journal: they have no `seq` and are not replayed. */
function withWarnings(parts: PrivateParts): Channel {
  const entries = rowStream(
    {
      type: 'notification',
      kinds: ['fills', 'ledger'],
      read,
      messages: (update) =>
        [...rowsOfKind(update, 'fills').flatMap(ofFill), ...rowsOfKind(update, 'ledger').flatMap(ofLedger)].map(toData),
    },
    parts,
  );
  const margins = new MarginWatches(parts);
  return {
    ...entries,
    async open(subscription, subscriber) {
      const opened = await entries.open(subscription, subscriber);
      let endWatch: (() => void) | undefined;
      return {
        ...opened,
        start: () => {
          opened.start();
          endWatch = margins.watch(subscriber.call(), (text) => subscriber.send(toMessage('notification', toData(text))));
        },
        close: () => {
          endWatch?.();
          opened.close();
        },
      };
    },
  };
}

const toData = (text: string) => ({ notification: text });

/** True for fills of resting orders: the sender of a taking order has its answer. */
function ofFill({ liquidity, side, size, coin, price }: FillRow): string[] {
  return liquidity === 'maker'
    ? [`Resting order filled: ${side === 'buy' ? 'Bought' : 'Sold'} ${size} ${coin} at $${price}`]
    : [];
}

function ofLedger(row: LedgerRow): string[] {
  if (row.kind !== 'liquidation') return [];
  const positions = row.positions.map(({ coin, signedSize }) => `${signedSize} ${coin}`).join(', ');
  return [`Liquidation (${row.marginMode}): ${positions}; the account value was $${row.accountValue}`];
}

// The line of text about the end of the paid time: one a day before it, so that there is time to pay, and one at it.

/** No line is due before this time, so a check of thousands of sockets several times a second is one comparison for most. */
export const noticeFromMs = ({ trialExpiresAtMs, subscriptionExpiresAtMs }: Omit<PaidUntil, 'graceMs'>): number =>
  Math.max(trialExpiresAtMs, subscriptionExpiresAtMs ?? 0) - DAY_MS;

/** @returns the line for this moment; undefined while the end is more than a day away */
export function endNotice(paidUntil: PaidUntil, nowMs: number): string | undefined {
  const endMs = expiryOf(paidUntil);
  if (nowMs < endMs - DAY_MS) return undefined;
  const what = paidUntil.subscriptionExpiresAtMs === null ? 'The trial' : 'The subscription';
  const at = new Date(endMs).toISOString();
  return nowMs < endMs ? `${what} ends at ${at}: pay before it to go on trading` : `${what} has ended at ${at}`;
}
