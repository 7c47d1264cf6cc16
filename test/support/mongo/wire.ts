// MongoDB's wire protocol as far as a driver of today speaks it: whole messages out of a stream, the command in a message, and a
// message that answers. Documents are read by the driver's own BSON.
import { BSON } from 'mongodb';

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const CHECKSUM_PRESENT = 1;

export interface Command {
  readonly requestId: number;
  /** The old form, in which a driver says hello. */
  readonly isQuery: boolean;
  /** Its first field, e.g. `update`. */
  readonly name: string;
  readonly body: BSON.Document;
  /** Documents that stand beside the body, as of an insert. */
  readonly documents: readonly BSON.Document[];
}

/** Cuts a stream into messages. */
export class Messages {
  #rest = Buffer.alloc(0);

  /** @returns the messages that are whole by now */
  push(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const whole: Buffer[] = [];
    while (this.#rest.length >= 4 && this.#rest.length >= this.#rest.readInt32LE(0)) {
      const length = this.#rest.readInt32LE(0);
      whole.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return whole;
  }
}

export const readCommand = (message: Buffer): Command => {
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const [body = {}, ...documents] = isQuery ? queryDocuments(message) : sectionDocuments(message);
  return { requestId: message.readInt32LE(4), isQuery, name: Object.keys(body)[0] ?? '', body, documents };
};

/** The body of an answer. */
export const readAnswer = (message: Buffer): BSON.Document => sectionDocuments(message)[0] ?? {};

/** A message that answers a command. */
export function writeAnswer({ requestId, isQuery }: Pick<Command, 'requestId' | 'isQuery'>, answer: BSON.Document): Buffer {
  const body = Buffer.from(BSON.serialize(answer));
  const head = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isQuery) head.writeInt32LE(1, 16); // one document; flags, cursor and start are 0
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + head.length + body.length, 0);
  header.writeInt32LE(requestId, 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, head, body]);
}

/** After flags, the collection's name and two numbers. */
function queryDocuments(message: Buffer): BSON.Document[] {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  return [documentAt(message, nameEnd + 1 + 8).document];
}

/** The body first, then what stands beside it. */
function sectionDocuments(message: Buffer): BSON.Document[] {
  const end = message.length - ((message.readUInt32LE(HEADER_BYTES) & CHECKSUM_PRESENT) === 0 ? 0 : 4);
  const bodies: BSON.Document[] = [];
  const beside: BSON.Document[] = [];
  for (let at = HEADER_BYTES + 4; at < end; ) {
    const kind = message[at];
    at += 1;
    if (kind === 0) {
      const { document, next } = documentAt(message, at);
      bodies.push(document);
      at = next;
      continue;
    }
    const sectionEnd = at + message.readInt32LE(at);
    at = message.indexOf(0, at + 4) + 1;
    while (at < sectionEnd) {
      const { document, next } = documentAt(message, at);
      beside.push(document);
      at = next;
    }
  }
  return [...bodies, ...beside];
}

function documentAt(message: Buffer, at: number): { document: BSON.Document; next: number } {
  const next = at + message.readInt32LE(at);
  return { document: BSON.deserialize(message.subarray(at, next)), next };
}
