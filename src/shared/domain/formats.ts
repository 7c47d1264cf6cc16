// The generations of stored and sent forms: snapshots, journal entries, history documents, command envelopes, market
// messages. One number names the version of all of them, so that a deployment can say with one record which forms may be
// written. Every form names its generation in `v`.

/**
 * The line of forms: the name of all generations that grow out of one another. The deployment's record, backups and exported
 * journals say it. Stores of another line, or of none, have forms under the same numbers that mean something else.
 */
export const FORMS_LINE = '1.0';

/** The newest generation that this build can read and write. */
export const NEWEST_FORMAT = 1 as const;

/** A generation that this build can write. */
export type Format = 1;

/** A form as `JSON.parse` gives it, of whatever generation. */
export type StoredForm = Readonly<Record<string, unknown>>;

/** Makes one generation's difference, none perhaps. It is pure and must not change what it is given. */
export type Step = (stored: StoredForm) => StoredForm;

/** How a form of each generation becomes one of the next. */
export type Upcasters = { readonly [From in Exclude<Format, typeof NEWEST_FORMAT>]: Step };

/** How a form of each generation is written by a build that has a newer one in memory: from the next generation back to it. */
export type Downcasters = { readonly [To in keyof Upcasters]: Step };

/** The steps of a form that holds another one. @param apply does the inner form's step inside the outer form */
export const stepsWithin = (inner: Upcasters, apply: (outer: StoredForm, step: Step) => StoredForm): Upcasters =>
  Object.fromEntries(
    Object.entries<Step>(inner).map(([from, step]) => [from, (outer: StoredForm) => apply(outer, step)]),
  ) as Upcasters;

/** Something was written by a newer build than this one. Nothing is wrong with it: a newer build has to read it. */
export class NewerFormat extends Error {
  override name = 'NewerFormat';
  readonly form: string;
  readonly version: number;

  /** @param form what it is, e.g. `snapshot`; @param version the generation it names */
  constructor(form: string, version: number) {
    super(`A ${form} has format ${version}; this build reads up to ${NEWEST_FORMAT}. Run a newer build.`);
    this.form = form;
    this.version = version;
  }
}

/**
 * The generation that a stored form names.
 * @throws {NewerFormat} when it is newer than this build
 * @throws SyntaxError when it is no generation at all
 */
export function readableFormat(form: string, version: unknown): Format {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new SyntaxError(`A ${form} names no format: ${JSON.stringify(version)}`);
  }
  if (version > NEWEST_FORMAT) throw new NewerFormat(form, version);
  return version as Format;
}

/** The generation that may be written, as of now: what every process of the deployment can read. */
export interface FormatSource {
  /** Never above what this build can write. */
  readonly current: Format;
  /** The generation in the deployment's record. Above `NEWEST_FORMAT` this build is too old for what may be in the stores. */
  readonly recorded: number;
}

/** The form as the newest generation has it, by one step after the other. */
function upcast(stored: StoredForm, from: Format, steps: Upcasters): StoredForm {
  let form = stored;
  for (let format: number = from; format < NEWEST_FORMAT; format++) form = stepOf(steps, format)(form);
  return form;
}

/** A form of the newest generation as this one has it. */
export function downcast(newest: StoredForm, to: Format, steps: Downcasters): StoredForm {
  let form = newest;
  for (let format = NEWEST_FORMAT - 1; format >= to; format--) form = stepOf(steps, format)(form);
  return form;
}

const stepOf = (steps: Upcasters, format: number): Step => (steps as Readonly<Record<number, Step>>)[format] as Step;

/** The JSON text of a form: its generation is its last field, `v`. */
export function writeForm(form: object, format: Format): string {
  const text = JSON.stringify(form);
  return text === '{}' ? `{"v":${format}}` : `${text.slice(0, -1)},"v":${format}}`;
}

/**
 * A form that `writeForm` has written, in its newest shape and without `v`.
 * @param parsed fresh from `JSON.parse`: it may be changed
 * @throws {NewerFormat} when it is newer than this build
 * @throws SyntaxError when it is no form
 */
export function readForm<Form extends object>(form: string, parsed: unknown, steps: Upcasters): Form {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new SyntaxError(`A ${form} is an object.`);
  const stored = parsed as { v?: unknown };
  const format = readableFormat(form, stored.v);
  delete stored.v;
  return upcast(stored as StoredForm, format, steps) as Form;
}
