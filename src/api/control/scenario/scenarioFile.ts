// Reads a scenario file: YAML, in which JSON is YAML too. What is wrong with it is told by line and field, and nothing has been done then.
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { RequestError } from '../../../shared/errors.ts';
import { UNREADABLE, unreadable } from '../../http/requestReader.ts';
import { readFrame, type Scenario, type ScenarioStep, STEP_READERS } from './scenarioSchema.ts';

/** Parts of a place deeper than any form has: what nests deeper is no scenario. */
const DEPTH_MAX = 32;

/** @throws {RequestError} 400 that names the line */
export function readScenario(text: string): Scenario {
  const lines = new LineCounter();
  refuseDeep(text);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', uniqueKeys: true });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) throw unreadable(`the file, line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  refuseIndirect(document, lines);
  const content: unknown = document.toJS();
  const placed = new Places(document, lines);
  const frame = placed.read([], () => readFrame(content));
  const steps = frame.steps.map((step, at) =>
    placed.read(['steps', at], () => STEP_READERS.get(String(step.action))?.(step) as ScenarioStep),
  );
  return { ...frame, steps };
}

/** Says where in the file a part is wrong. @throws {RequestError} */
export const faultOf = (step: number, what: string): RequestError => unreadable(`the file: steps[${step}]${what}`);

/** An alias can stand for much more than its text has, and a tag makes another value of it than the one that is seen. */
function refuseIndirect(document: Document, lines: LineCounter): void {
  const refuse = (what: string, at: number | undefined): never => {
    throw unreadable(`the file, line ${lines.linePos(at ?? 0).line}: ${what} are not read`);
  };
  visit(document, {
    Node: (_key, { tag, range }) => {
      if (tag !== undefined) refuse('tags', range?.[0]);
    },
    Alias: (_key, { range }) => refuse('aliases', range?.[0]),
  });
}

/** Brackets nest by the parser's stack, indents by at least a character each. */
function refuseDeep(text: string): void {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > DEPTH_MAX) throw unreadable(`the file: nests deeper than ${DEPTH_MAX}`);
  }
  // Lists in lists, and mappings as keys of mappings.
  const marks = /(?:[-?:][ \t]+){33}/.exec(text) ?? /^ {500}/m.exec(text);
  if (marks !== null) throw unreadable(`the file: nests deeper than ${DEPTH_MAX}`);
}

class Places {
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  /** @throws {RequestError} with the place of the fault in the file, where `read` throws one of a body */
  read<Result>(place: readonly (string | number)[], read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const here = place.length === 0 ? '' : `steps[${place[1]}]`;
      const what = error.message.replace(`${UNREADABLE}: `, '');
      const field = /^[\w.[\]]+(?= must| is missing)/.exec(what)?.[0] ?? '';
      const inner = field
        .split(/[.[\]]+/)
        .filter((part) => part !== '')
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
      const told = what.startsWith('the body')
        ? what.replace('the body', here === '' ? 'the file' : here)
        : `${here === '' ? '' : `${here}.`}${what}`;
      throw unreadable(`the file, line ${this.#lineOf([...place, ...inner])}: ${told}`);
    }
  }

  /** Of the part, or of the innermost around it that is there. */
  #lineOf(path: readonly (string | number)[]): number {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return this.#lines.linePos(node.range[0]).line;
    }
    return 1;
  }
}
