// The generations of stored and sent forms: snapshots, journal entries, history documents, command envelopes, market
// messages. One number names the version of all of them, so that a deployment can say with one record which forms may be
// written. Generation 1 is what was written before forms named their version.

/** The newest generation that this build can read and write. */
export const NEWEST_FORMAT = 2;

/** A generation that this build can write. */
export type Format = 1 | 2;

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
 * The generation that a stored form names; none = 1.
 * @throws {NewerFormat} when it is newer than this build
 * @throws Error when it is no generation at all
 */
export function readableFormat(form: string, version: unknown = 1): Format {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new Error(`A ${form} names no format: ${JSON.stringify(version)}`);
  }
  if (version > NEWEST_FORMAT) throw new NewerFormat(form, version);
  return version as Format;
}

/** The generation that may be written, as of now: what every process of the deployment can read. */
export interface FormatSource {
  /** Never above what this build can write. */
  readonly current: Format;
  /** What the deployment's record says. Above `NEWEST_FORMAT` this build is too old for what may be in the stores. */
  readonly recorded: number;
}
