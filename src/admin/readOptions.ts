// Reads the words and the `--name value` options of a command, in any order.
import { parseArgs } from 'node:util';
import { UsageError } from '../operators/operatorParts.ts';

/** @throws {UsageError} that names the option it does not know or that lacks its value */
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
