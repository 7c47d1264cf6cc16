// Output of a fleet's processes, since a moment, that nobody expects of them: errors, and output that is no log line at all, such
// as the end of a process by an exception.
import { readFileSync } from 'node:fs';
import type { Stack } from '../../test/support/stack.ts';

/** Of pino. */
const ERROR = 50;

/** Errors that a fault has to bring, by their text. */
const EXPECTED: readonly RegExp[] = [
  // A pod that starts while a master's replica has just taken over.
  /^Redis has fewer replicas than REDIS_MIN_REPLICAS/,
];

export class Logs {
  readonly #stack: Stack;
  readonly #read = new Map<string, number>();

  constructor(stack: Stack) {
    this.#stack = stack;
    this.unexpected();
  }

  /** Lines since the last call, each with the name of its process. */
  unexpected(): string[] {
    return [...this.#stack.processes.values()].flatMap(({ name, logFile }) => {
      const text = readFileSync(logFile, 'utf8');
      const fresh = text.slice(this.#read.get(name) ?? 0);
      this.#read.set(name, text.length);
      return fresh.split('\n').flatMap((line) => (isUnexpected(line) ? [`${name}: ${line}`] : []));
    });
  }
}

function isUnexpected(line: string): boolean {
  if (line === '') return false;
  let entry: { level?: number; msg?: string };
  try {
    entry = JSON.parse(line);
  } catch {
    return true; // no log line: of Node itself
  }
  return (entry.level ?? 0) >= ERROR && !EXPECTED.some((known) => known.test(entry.msg ?? ''));
}
