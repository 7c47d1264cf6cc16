// The commands of `bin/admin`, made of the list of acts.

import { type AdminCommand, type OperatorParts, type Report, UsageError } from './acts/operatorParts.ts';
import { OPERATOR_ACTS } from './acts.ts';

export const COMMANDS: readonly AdminCommand[] = OPERATOR_ACTS.flatMap(({ command = [] }) => command);

export const USAGE = [
  'What operators do. It reaches the stores of the `bin/start` that runs on this machine, or those of REDIS_URL and MONGO_URL.',
  '',
  '  bin/admin [--data DIR] [--json] COMMAND',
  '',
  ...COMMANDS.flatMap(({ name, takes, does }) => [`  ${name} ${takes}`.trimEnd(), `      ${does}`]),
  '',
  '--data DIR is the folder given to bin/start (default: var). The status is 0, 1 when it cannot be done, 2 for wrong words.',
  '',
].join('\n');

/** @throws {UsageError} when the words name no command, and what the command throws */
export async function runCommand(words: readonly string[], parts: OperatorParts): Promise<Report> {
  const command = findCommand(words);
  return command.run(argumentsOf(words, command), parts);
}

const argumentsOf = (words: readonly string[], { name }: AdminCommand): readonly string[] => words.slice(name.split(' ').length);

/** @throws {UsageError} when the words name no command, or more than one that takes no argument */
export function findCommand(words: readonly string[]): AdminCommand {
  // The longest name wins: `formats raise` is no `formats` with an argument.
  const longestFirst = COMMANDS.toSorted((a, b) => b.name.length - a.name.length);
  const found = longestFirst.find(({ name }) => name.split(' ').every((word, i) => words[i] === word));
  if (found === undefined)
    throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}"; bin/admin --help shows those there are.`);
  // `shards mvoe 3 pod` is no question.
  if (found.takes === '' && argumentsOf(words, found).length > 0)
    throw new UsageError(`${found.name} takes no argument; bin/admin --help shows what there is.`);
  return found;
}
