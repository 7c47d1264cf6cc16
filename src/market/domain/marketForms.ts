// The texts that the market's leader writes, and how to read them. A change is the same form in a
// message, in the stored state and in the stream of trades, and names its generation in each of them.
import { type Format, readForm, type Upcasters, writeForm } from '../../shared/domain/formats.ts';
import type { AcceptedChange, MarketChange, StoredTrades, TradesChange } from './feed.ts';

/** One message on the feed channel. */
export interface MarketMessage {
  readonly leader: string;
  readonly seq: number;
  readonly changes: readonly MarketChange[];
}

const CHANGE_UPCASTERS: Upcasters = {};
const MESSAGE_UPCASTERS: Upcasters = {};

/** Of a message, of a field of the state, or of trades in their stream. */
export const writeChange = (change: AcceptedChange, format: Format): string => writeForm(change, format);

/** A field of the stored state. @throws {NewerFormat} when a newer build has written it */
export const readChange = <Change extends AcceptedChange = AcceptedChange>(text: string): Change =>
  toChange<Change>(JSON.parse(text));

/** Trades of the stream; their tick is the id of their entry. @throws as `readChange` */
export const readTrades = (text: string, tick: string): TradesChange => ({ ...toChange<StoredTrades>(JSON.parse(text)), tick });

/** @throws as `readChange` */
export function readMessage(text: string): MarketMessage {
  const message: MarketMessage = readForm('market message', JSON.parse(text), MESSAGE_UPCASTERS);
  return { ...message, changes: message.changes.map(toChange<MarketChange>) };
}

/** The end of a message, behind its changes: the script that puts the message together writes its generation there. */
export const messageEnd = (format: Format): string => `,"v":${format}}`;

const toChange = <Change extends object>(parsed: unknown): Change => readForm('market change', parsed, CHANGE_UPCASTERS);
