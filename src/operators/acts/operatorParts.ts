// The parts of operators' acts, their refusals, and the form of a command at the terminal. The acts themselves are in the folders beside
// this file: each is one function, which a command (`bin/admin`) and an endpoint (`/v1/admin`) share. They know the stores and the pure
// rules, and no process.

import { parseArgs } from 'node:util';
import type { Billing } from '../../shared/billing/billing.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Redis } from '../../shared/redis/redis.ts';

export interface OperatorParts {
  readonly billing: Billing;
  readonly redis: Redis;
  readonly mongo: MongoConnection;
}

/** The arguments are wrong; nothing was done. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The arguments are right and it cannot be done; nothing was done. */
export class Refused extends Error {
  override name = 'Refused';
}

/** What is asked for is not there (any more). */
export class Unknown extends Refused {
  override name = 'Unknown';
}

/** The answer of a command: data for machines, and the same data as lines for people. */
export interface Report {
  readonly data: unknown;
  readonly lines: readonly string[];
  /** It was done, and what it found is bad: the status is 1. */
  readonly isBad?: boolean;
}

/** An operators' command: a thin shell over the stores that every process shares. */
export interface AdminCommand {
  /** The words that name the command: `discount create`. */
  readonly name: string;
  /** The arguments after the name, and what the command does: each is a line of the help. */
  readonly takes: string;
  readonly does: string;
  /** True for one that works without Redis and MongoDB: it is run also where they are away. */
  readonly needsNoStores?: boolean;
  /** @throws {UsageError} for arguments it cannot read, {Refused} when it cannot be done */
  run(args: readonly string[], parts: OperatorParts): Promise<Report>;
}

/** The one word that is given. @throws {UsageError} with the question for it, when none is given, or more */
export function onlyWord([word, ...more]: readonly string[], question: string): string {
  if (word === undefined || more.length > 0) throw new UsageError(question);
  return word;
}

/** Names and values in two columns. */
export function columns(rows: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/**
 * Reads the words and the `--name value` options of a command, in any order.
 * @throws {UsageError} that names the option it does not know or that lacks its value
 */
export function readOptions(
  args: readonly string[],
  names: readonly string[],
): { words: readonly string[]; options: ReadonlyMap<string, string> } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    });
    return { words: positionals, options: new Map(Object.entries(values) as [string, string][]) };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
