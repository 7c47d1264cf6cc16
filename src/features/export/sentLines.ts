// An export, and its way to its client. The next piece waits until the client has taken the one before: an export of any length takes the
// memory of one piece, and that memory counts among the bytes that the caller's requests hold. Each piece has its turn with other long reads.
// The last line says whether all is there, or what went wrong; a connection that breaks has no last line.

import { Readable } from 'node:stream';
import type { HeldBytes, Holder } from '../../api/access/limits/heldBytes.ts';
import type { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import type { RequestError } from '../../shared/errors.ts';

/** Pieces of text that are read one after the other, and a last line that says whether they are all. */
export interface ExportLines {
  /** Text as it is sent; no piece is read before the one before has been taken. @throws what reading throws */
  readonly pieces: AsyncGenerator<string, void, void>;
  /** The last line. @param failure why the rest is missing; absent = all is there */
  end(failure?: RequestError): string;
}

/** What `error` of a last line says. */
export const failureOf = ({ code, message }: RequestError) => ({ code, detail: message });

interface SentLinesParts {
  readonly turns: Pick<ReadingTurns, 'run'>;
  readonly userId: string;
  readonly held: Pick<HeldBytes, 'open'>;
  readonly holder: Holder;
  readonly toFailure: (error: unknown) => RequestError;
  /** How long a client may take to make room for the next piece, ms. */
  readonly readingMsMax: number;
  /** The client has taken nothing for that long. */
  readonly onStuck: () => void;
  /** Whatever becomes of it: called once. */
  readonly onEnd: () => void;
}

/**
 * The export as the body of an answer.
 * @throws what reading the first piece throws: nothing was sent then, and `onEnd` was called
 */
export async function sentLines({ pieces, end }: ExportLines, parts: SentLinesParts): Promise<Readable> {
  const { turns, userId, held, holder, toFailure, readingMsMax, onStuck, onEnd } = parts;
  const readNext = () => turns.run(userId, () => pieces.next());
  const first = await readNext().catch((error: unknown) => {
    onEnd();
    throw error;
  });
  async function* body(): AsyncGenerator<Buffer> {
    try {
      for (let read = first; read.done !== true; read = await readNext()) yield* taken(Buffer.from(read.value));
      yield Buffer.from(end());
    } catch (error) {
      yield Buffer.from(end(toFailure(error)));
    }
  }
  /** The bytes are held until the next piece is wanted. */
  async function* taken(bytes: Buffer): AsyncGenerator<Buffer> {
    const counted = held.open(holder);
    const stuck = setTimeout(onStuck, readingMsMax);
    try {
      counted.add(bytes.length);
      yield bytes;
    } finally {
      clearTimeout(stuck);
      counted.close();
    }
  }
  const sent = Readable.from(body(), { objectMode: false, highWaterMark: 1 });
  sent.once('close', () => {
    void pieces.return();
    onEnd();
  });
  return sent;
}
