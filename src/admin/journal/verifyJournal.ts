// `bin/admin verify`: is an exported journal what was written, and does it come to what it says? Needs the file alone.
import { createReadStream } from 'node:fs';
import { Refused, UsageError } from '../../operators/operatorParts.ts';
import { type AdminCommand, columns } from '../adminCommand.ts';
import { JournalFold, type Verified, WrongLine } from './journalFold.ts';

const NEWLINE = 10;

export const verifyJournal: AdminCommand = {
  name: 'verify',
  takes: 'FILE',
  does: 'recomputes the chain, the state and the balance of an exported journal, and names the first line that is not as it was written',
  needsNoStores: true,
  async run([file, ...more]) {
    if (file === undefined || more.length > 0) throw new UsageError('Which file?');
    try {
      const verified = await verifyLines(createReadStream(file));
      return {
        data: { verified, wrong: null },
        lines: columns(Object.entries(verified).map(([name, value]) => [name, String(value)])),
      };
    } catch (error) {
      if (error instanceof WrongLine)
        return { data: { verified: null, wrong: wrongOf(error) }, lines: [error.message], isBad: true };
      if (error instanceof Error && 'syscall' in error) throw new Refused(`${file} cannot be read: ${error.message}`);
      throw error;
    }
  },
};

const wrongOf = ({ line, message }: WrongLine) => ({ line, why: message });

/** @param bytes of the file, in pieces @throws {WrongLine} */
export async function verifyLines(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Verified> {
  const fold = new JournalFold();
  let pieces: Buffer[] = [];
  for await (const piece of bytes) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      fold.add(Buffer.concat([...pieces, piece.subarray(from, end)]));
      [pieces, from] = [[], end + 1];
    }
    if (from < piece.length) pieces.push(piece.subarray(from));
  }
  // What no newline ends was cut off: the line is judged, and then missed at the end.
  if (pieces.length > 0) {
    fold.add(Buffer.concat(pieces));
    fold.refuseCut();
  }
  return fold.end();
}
