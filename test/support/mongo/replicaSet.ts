// Three members of a MongoDB replica set before one server that keeps the data, for tests of what happens when the primary moves. It
// answers a driver's hello, refuses what a secondary refuses, knows the numbers of retryable writes as MongoDB does (a write that
// comes again under its number is answered and not done again), and fails as a primary does that moves.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { type Command, Messages, readAnswer, readCommand, writeAnswer } from './wire.ts';

const NAME = 'rs';
const MEMBERS = 3;
/** Of MongoDB 5, as the stand-in. */
const WIRE_VERSION = 13;
const SIZES = { maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 };
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'createIndexes']);
const GREETINGS = new Set(['hello', 'ismaster', 'isMaster']);

/** The errors of a primary that is none any more, or is about to end. */
const REFUSALS = {
  notWritablePrimary: { code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' },
  steppedDown: { code: 189, codeName: 'PrimarySteppedDown', errmsg: 'Primary stepped down while waiting for replication' },
  shutsDown: { code: 11600, codeName: 'InterruptedAtShutdown', errmsg: 'interrupted at shutdown' },
} as const;
/** Of a server whose disk is full: it is the primary, and the driver does not try again. */
const FULL = { ok: 0, code: 14031, codeName: 'OutOfDiskSpace', errmsg: 'no space left on the disk' };

/**
 * A refusal; a connection that breaks before the command is done, or after it; a command that is done, but not on a majority before
 * the primary steps down: what only asks is answered then; a full disk, which refuses what writes.
 */
export type Fault = keyof typeof REFUSALS | 'breaksBefore' | 'breaksAfter' | 'doneByFew' | 'isFull';

export const FAULTS: readonly Fault[] = [
  'notWritablePrimary',
  'breaksAfter',
  'steppedDown',
  'doneByFew',
  'shutsDown',
  'breaksBefore',
];

export class MongoReplicaSet {
  /** Called for each command that reaches the primary. @returns how it fails; undefined = not at all */
  fault: (command: Command) => Fault | undefined = () => undefined;
  /** How often a write came again under its number and was answered without being done. */
  repeated = 0;
  readonly #servers: Server[] = [];
  readonly #sockets = new Map<Socket, number>();
  readonly #targetPort: number;
  #primary: number | undefined = 0;
  #term = 1;
  /** Answers to retryable writes by session and number. */
  readonly #answers = new Map<string, BSON.Document>();

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  static async start(targetPort: number): Promise<MongoReplicaSet> {
    const set = new MongoReplicaSet(targetPort);
    for (let member = 0; member < MEMBERS; member++) {
      const server = createServer((client) => set.#join(member, client));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      set.#servers.push(server);
    }
    return set;
  }

  /** As MONGO_URL. */
  get url(): string {
    // A driver waits half a second between two looks for a primary otherwise.
    return `mongodb://${this.#hosts.join(',')}/?replicaSet=${NAME}&minHeartbeatFrequencyMS=10`;
  }

  /** No member is primary from now on. */
  stepDown(): void {
    this.#primary = undefined;
  }

  /** Another member is primary from now on. */
  elect(): void {
    this.#primary = this.#term % MEMBERS;
    this.#term += 1;
  }

  /** All connections break. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = this.#servers.map((server) => once(server, 'close'));
    for (const server of this.#servers) server.close();
    this.cut();
    await Promise.all(closed);
  }

  get #hosts(): string[] {
    return this.#servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  #join(member: number, client: Socket): void {
    const server = connect(this.#targetPort, '127.0.0.1');
    const [asked, answered] = [new Messages(), new Messages()];
    /** A driver sends the next command on a connection when the one before is answered. */
    let waiting: { command: Command; fault: Fault | undefined } | undefined;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.set(from, member);
      from.on('error', () => to.destroy()); // a broken connection is what this is for
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (chunk) => {
      for (const message of asked.push(chunk)) {
        const command = readCommand(message);
        const fault = this.#isToFail(member, command) ? this.fault(command) : undefined;
        const answer = this.#answerTo(member, command, fault);
        if (answer === 'broken') client.destroy();
        else if (answer !== undefined) client.write(writeAnswer(command, answer));
        else {
          waiting = { command, fault };
          server.write(message);
        }
      }
    });
    server.on('data', (chunk) => {
      for (const message of answered.push(chunk)) {
        if (waiting === undefined) throw new Error('an answer to nothing');
        const { command, fault } = waiting;
        waiting = undefined;
        const answer = readAnswer(message);
        const number = numberOf(command);
        if (number !== undefined && answer['ok'] === 1) this.#answers.set(number, answer);
        if (fault === 'breaksAfter') client.destroy();
        else if (fault === 'doneByFew' && isWrite(command))
          client.write(writeAnswer(command, { ...answer, ...doneByFew(command) }));
        else client.write(message);
      }
    });
  }

  #isToFail(member: number, { name }: Command): boolean {
    return member === this.#primary && !GREETINGS.has(name) && name !== 'endSessions';
  }

  /** @returns undefined when the server has to be asked */
  #answerTo(member: number, command: Command, fault: Fault | undefined): BSON.Document | 'broken' | undefined {
    if (GREETINGS.has(command.name)) return this.#hello(member);
    if (member !== this.#primary) return refusal(command, 'notWritablePrimary');
    if (fault === 'breaksBefore') return 'broken';
    if (fault === 'isFull' && WRITES.has(command.name)) return FULL;
    if (fault !== undefined && fault in REFUSALS) return refusal(command, fault as keyof typeof REFUSALS);
    const known = this.#answers.get(numberOf(command) ?? '');
    if (known === undefined) return undefined;
    this.repeated += 1;
    return known;
  }

  #hello(member: number): BSON.Document {
    const hosts = this.#hosts;
    const isPrimary = member === this.#primary;
    return {
      ...{ isWritablePrimary: isPrimary, ismaster: isPrimary, secondary: !isPrimary, helloOk: true },
      ...{ setName: NAME, setVersion: 1, hosts, me: hosts[member] },
      ...(this.#primary !== undefined && { primary: hosts[this.#primary] }),
      ...(isPrimary && { electionId: new BSON.ObjectId(this.#term.toString(16).padStart(24, '0')) }),
      ...{ ...SIZES, localTime: new Date(), logicalSessionTimeoutMinutes: 30, connectionId: 1 },
      ...{ minWireVersion: 0, maxWireVersion: WIRE_VERSION, readOnly: false, ok: 1 },
    };
  }
}

/** Under which a retryable write is known; undefined for any other command. */
function numberOf({ body }: Command): string | undefined {
  const { lsid, txnNumber } = body as { lsid?: { id: BSON.Binary }; txnNumber?: unknown };
  return lsid === undefined || txnNumber === undefined ? undefined : `${lsid.id.toString('hex')} ${String(txnNumber)}`;
}

/** A server says itself which of its errors a retryable write may be sent again after. */
const labelsFor = (command: Command): object => (numberOf(command) === undefined ? {} : { errorLabels: ['RetryableWriteError'] });

const refusal = (command: Command, name: keyof typeof REFUSALS): BSON.Document => ({
  ...{ ok: 0, ...REFUSALS[name] },
  ...labelsFor(command),
});

const doneByFew = (command: Command): object => ({ writeConcernError: REFUSALS.steppedDown, ...labelsFor(command) });

/** A question has no majority to wait for. */
const isWrite = ({ body }: Command): boolean => body['writeConcern'] !== undefined;
