// The commands of jobs to every account of a shard: one command per shard and period, in the shard's own mailbox. A
// command carries all numbers that it needs. An account does nothing a second time, so another owner may begin the
// command again at any point.
import type { FundingHour } from '../../../market/domain/fundingRecords.ts';
import { type Format, readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';

/** As it is sent. */
export type SentShardCommand = ShardCommand & {
  /** W3C `traceparent` of the job's run, where it is traced. */
  readonly trace?: string;
};

export type ShardCommand =
  /** Pays the funding of all hours up to `throughMs` that accounts still owe or are owed (trading-rules 6.4). */
  | {
      readonly type: 'settleFunding';
      readonly throughMs: number;
      readonly hours: readonly FundingHour[];
      /** A coin with an unknown hour waits no more: it is paid up to that hour. */
      readonly late?: true;
    }
  /** Checks every account against the current marks: a second way to find accounts that a mark missed (trading-rules 5.4). */
  | { readonly type: 'scanLiquidation' }
  /** Records the equity of accounts with positions, unless they have done so since `periodMs`. */
  | { readonly type: 'sampleEquity'; readonly periodMs: number };

const TYPES: ReadonlySet<string> = new Set<ShardCommand['type']>(['settleFunding', 'scanLiquidation', 'sampleEquity']);

/** The account's time once the command is applied is at least this: what comes later must not lie before it. */
export function earliestTimeMs(command: ShardCommand): number {
  return command.type === 'settleFunding' ? command.throughMs : 0;
}

const UPCASTERS: Upcasters = {};

export const writeShardCommand = (command: SentShardCommand, format: Format): string => writeForm(command, format);

/**
 * The command of a mailbox entry; undefined when it is none that this version knows: it is parked then.
 * @throws {NewerFormat} when a newer build has written it
 */
export function readShardCommand(text: string): SentShardCommand | undefined {
  try {
    const command: SentShardCommand = readForm('shard command', JSON.parse(text), UPCASTERS);
    return TYPES.has(command.type) ? command : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
