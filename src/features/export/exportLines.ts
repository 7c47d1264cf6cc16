// What every export is: pieces of text that are read one after the other, and a last line that says whether they are all.
import type { RequestError } from '../../shared/errors.ts';

export interface ExportLines {
  /** Text as it is sent; no piece is read before the one before has been taken. @throws what reading throws */
  readonly pieces: AsyncGenerator<string, void, void>;
  /** The last line. @param failure why the rest is missing; absent = all is there */
  end(failure?: RequestError): string;
}

/** What `error` of a last line says. */
export const failureOf = ({ code, message }: RequestError) => ({ code, detail: message });
