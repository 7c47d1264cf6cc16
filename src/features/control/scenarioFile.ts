// Reads a scenario file: YAML, in which JSON is YAML too. What is wrong with it is told by line and field, and nothing has been done then.

import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { LabBody } from '../../api/accounts/labFields.ts';
import { CoinText, compileReader, UNREADABLE, unreadable } from '../../api/http/requestReader.ts';
import { RequestError } from '../../shared/errors.ts';
import { MARKET_READERS, type MarketControl } from './controlBody.ts';

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

/** Steps of a file. What they are made into is bounded by itself. */
const STEPS_MAX = 200;
const SEED_MAX = 2 ** 32 - 1;
const WORD = '^[a-z0-9][a-z0-9-]{0,63}$';

const FORM = { expected: 'an object with the fields of its action alone', additionalProperties: false } as const;
const Name = Type.String({ pattern: WORD, expected: 'up to 64 small letters, digits and hyphens' });
const Duration = Type.String({
  pattern: '^\\d{1,8}(ms|s|m|h)$',
  expected: 'a time such as 250ms, 30s, 5m or 8h',
  examples: ['30s'],
});
const percent = (minimum: number, maximum: number, description: string) =>
  Type.Number({ minimum, maximum, expected: `a number from ${minimum} to ${maximum}`, description });
const whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, expected: `a whole number from ${minimum} to ${maximum}`, description });

const when = {
  at: Type.Optional({
    ...Duration,
    description: 'Since the beginning, by the exchange’s clock; absent: at once after the step above.',
  }),
  as: Type.Optional({ ...Name, description: 'Names the step, for `until` and `after` of a run.' }),
};
const book = {
  levels: Type.Optional(whole(1, 20, 'Of each side; 10 without it.')),
  levelUsd: Type.Optional(whole(1, 1_000_000_000, 'Size of a level, USD; 100,000 without it.')),
  spreadBps: Type.Optional(percent(0.1, 5000, 'From one level to the next, 1/100 %; 2 without it.')),
};
const step = <Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) => Type.Object({ ...when, ...fields }, FORM);

const Market = step({
  action: Type.Literal('market'),
  coin: CoinText,
  percent: percent(-99, 1000, 'Of the coin’s mark at the beginning of the run: how far the price is from it now.'),
  ...book,
});
const Walk = step({
  action: Type.Literal('walk'),
  coin: CoinText,
  percent: Type.Optional(percent(-99, 1000, 'Where it begins; 0 without it.')),
  drift: Type.Optional(percent(-50, 50, 'Percent of the price at the beginning that each part goes; 0 without it.')),
  noise: Type.Optional(percent(0, 50, 'Largest chance deviation of a part, drawn with the seed; 0 without it.')),
  for: Duration,
  every: Duration,
  ...book,
});
const Lab = step({
  action: Type.Literal('lab'),
  for: Type.Optional({ ...Duration, description: 'Then it ends by itself; absent: it stays until it is ended.' }),
  ...LabBody.properties,
});
const EndLab = step({ action: Type.Literal('endLab') });
const Wait = step({ action: Type.Literal('wait') });

const OWN = { market: Market, walk: Walk, lab: Lab, endLab: EndLab, wait: Wait };
export type OwnStep = { readonly [Name in keyof typeof OWN]: Static<(typeof OWN)[Name]> }[keyof typeof OWN];
type ControlStep = MarketControl & { readonly at?: string; readonly as?: string };
export type ScenarioStep = OwnStep | ControlStep;

const CONTROLS = Object.fromEntries(
  Object.entries(MARKET_READERS).map(([name, { schema }]) => [name, step({ ...(schema as TObject).properties })]),
);
const STEPS: Readonly<Record<string, TObject>> = { ...OWN, ...CONTROLS };

const STEP_NAMES = Object.keys(STEPS);
const STEP_READERS = new Map(Object.entries(STEPS).map(([name, schema]) => [name, compileReader(schema)]));

const fields = {
  name: Name,
  about: Type.Optional(Type.String({ maxLength: 1000, expected: 'a text of up to 1,000 characters' })),
  seed: Type.Optional(whole(0, SEED_MAX, 'What is drawn is drawn with it; 1 without it.')),
};
const frame = <Step extends TSchema>(steps: Step) =>
  Type.Object(
    { ...fields, steps: Type.Array(steps, { minItems: 1, maxItems: STEPS_MAX, expected: `a list of 1 to ${STEPS_MAX} steps` }) },
    { expected: 'a mapping with name, steps, and perhaps about and seed', additionalProperties: false },
  );

const StepAction = Type.Union(
  STEP_NAMES.map((name) => Type.Literal(name)),
  { expected: `one of ${STEP_NAMES.join(', ')}` },
);

/** The frame alone: each step has a reader of its own, so that a fault is told by its action. */
const readFrame = compileReader(frame(Type.Object({ action: StepAction }, { expected: 'a mapping with an action' })));

/**
 * The form of a scenario file, which is published as JSON schema (examples/scenarios/scenario.schema.json): steps at times of the exchange's
 * clock, each a control action or one of a few that are made of control actions.
 * The whole form, for editors and other programs.
 */
export const ScenarioSchema = frame(Type.Union(Object.values(STEPS)));

export interface Scenario {
  readonly name: string;
  readonly about?: string;
  readonly seed?: number;
  readonly steps: readonly ScenarioStep[];
}
