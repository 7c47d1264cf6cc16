// What a job asks of every account of a shard: one command per shard and period, in the shard's own mailbox. All numbers
// that are needed come with it, and what an account has done already it does not do again, so that a command may be begun
// anew by another owner at any point.
import type { FundingHour } from '../../../market/domain/fundingHour.ts';
import { asBefore, type Format, readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';

export type ShardCommand =
  /** Pays the funding of all hours up to `throughMs` that accounts still owe or are owed (trading-rules 6.4). */
  | { readonly type: 'settleFunding'; readonly throughMs: number; readonly hours: readonly FundingHour[] }
  /** Checks everybody against the marks of now: a second way to find whom a mark should have woken (trading-rules 5.4). */
  | { readonly type: 'scanLiquidation' }
  /** Notes what accounts with positions are worth, unless they have since `periodMs`. */
  | { readonly type: 'sampleEquity'; readonly periodMs: number };

const TYPES: ReadonlySet<string> = new Set<ShardCommand['type']>(['settleFunding', 'scanLiquidation', 'sampleEquity']);

/** The account's time once the command is applied is at least this: what comes later must not lie before it. */
export function earliestTimeMs(command: ShardCommand): number {
  return command.type === 'settleFunding' ? command.throughMs : 0;
}

const UPCASTERS: Upcasters = { 1: asBefore };

export const writeShardCommand = (command: ShardCommand, format: Format): string => writeForm(command, format);

/**
 * The command of a mailbox entry; undefined when it is none that this version knows: it is parked then.
 * @throws {NewerFormat} when a newer build has written it
 */
export function readShardCommand(text: string): ShardCommand | undefined {
  try {
    const command: ShardCommand = readForm('shard command', JSON.parse(text), UPCASTERS);
    return TYPES.has(command.type) ? command : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
