// How far a shard's journal is in MongoDB: one document per shard, moved by compare-and-set only. Before a write it
// says how far the write may reach, so that a journal that has lost its end is recognised by being shorter.
import { isLaterTick } from '../../../market/domain/liveMarket.ts';
import { type Format, type FormatSource, readableFormat } from '../../../shared/domain/formats.ts';
import { LaterEpoch, RetryableError } from '../../../shared/errors.ts';
import { collections, isFirst, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { StoredHouse } from '../../core/history/houseLedger.ts';

/** High-water marks of a shard. */
export interface Reached {
  readonly commit: number;
  readonly epoch: number;
  readonly idCounter: number;
  /** Tick position. */
  readonly tick: string;
  /** Time of the commit. */
  readonly atMs: number;
}

export interface JournalPositionDocument extends Reached {
  /** The shard. */
  readonly _id: number;
  readonly v: Format;
  /** Token of the owner that may move it. */
  readonly owner: string;
  /** Rises with every change. */
  readonly version: number;
  /** How far begun writes may have reached; `commit` and the rest say how far they have for certain. */
  readonly ahead: Reached;
  /** The house as of `commit`; absent before the first write. */
  readonly house?: StoredHouse;
  /** The archive has all entries up to this commit; absent before it has any. */
  readonly archived?: number;
}

/** Of a shard without a position. */
export const NOWHERE: Reached = { commit: 0, epoch: 0, idCounter: 0, tick: '0-0', atMs: 0 };

/** The position as it is stored, if the shard has ever had one. @throws {NewerFormat} when a newer build has written it */
export async function readJournalPosition(mongo: MongoConnection, shard: number): Promise<JournalPositionDocument | undefined> {
  const found = await positionsOf(mongo).findOne({ _id: shard });
  if (found === null) return undefined;
  readableFormat('shard position', found.v);
  return found;
}

interface ClaimParts {
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
}

/** The journal position, held by the shard's owner. It notices a change by another process, or one that MongoDB has lost. */
export class JournalPosition {
  readonly #mongo: MongoConnection;
  readonly #formats: FormatSource;
  #stored: JournalPositionDocument;
  /** What the next move will say of the archive. */
  #archive: Pick<JournalPositionDocument, 'archived'> = {};

  private constructor({ mongo, formats }: ClaimParts, stored: JournalPositionDocument) {
    this.#mongo = mongo;
    this.#formats = formats;
    this.#stored = stored;
  }

  /**
   * Makes the position the owner's, so that an earlier owner can no longer move it.
   * @throws {LaterEpoch} when a later owner has it already
   * @throws {RetryableError} when another process changed it at the same moment
   * @throws {NewerFormat} when a newer build has written it
   */
  static async claim(deps: ClaimParts & { shard: number; token: string }): Promise<JournalPosition> {
    const { mongo, formats, shard, token } = deps;
    const epoch = Number.parseInt(token, 10);
    const found = await readJournalPosition(mongo, shard);
    if (found && found.epoch > epoch)
      throw new LaterEpoch(`In MongoDB shard ${shard} belongs to epoch ${found.epoch}, later than ${epoch}.`);
    if (found) {
      const position = new JournalPosition(deps, found);
      await position.#move({ owner: token, epoch });
      return position;
    }
    const begun = { owner: token, version: 1, epoch, ahead: NOWHERE };
    const first: JournalPositionDocument = { ...NOWHERE, _id: shard, v: formats.current, ...begun };
    if (!(await isFirst(positionsOf(mongo).insertOne(first))))
      throw new RetryableError(`The position of shard ${shard} was made by another.`);
    return new JournalPosition(deps, first);
  }

  get commit(): number {
    return this.#stored.commit;
  }

  /** The archive has all entries up to this commit for certain; undefined before there was one. */
  get archived(): number | undefined {
    return this.#stored.archived;
  }

  /** Call it after a write of the archive: the next move records how far it has reached. */
  noteArchived(commit: number): void {
    this.#archive = { archived: commit };
  }

  /** How far the writes of any owner may have reached. */
  get furthest(): Reached {
    return furthest(this.#stored);
  }

  /** See `highestNamed`. */
  get highestNamed(): number {
    return highestNamed(this.#stored);
  }

  /** Call it before a write: records how far the write may reach. */
  async announce(ahead: Reached): Promise<void> {
    await this.#move({ ahead: highest(this.#stored.ahead, ahead) });
  }

  /** The house as of `commit`. */
  get house(): StoredHouse | undefined {
    return this.#stored.house;
  }

  /** Call it after a write: records how far the write has reached, and the house by then. */
  async advance(to: Reached, house: StoredHouse): Promise<void> {
    await this.#move({ ...highest(this.#stored, to), house });
  }

  /**
   * Moves the position to where it is. A MongoDB that crashes loses the end of its writes, in order: everything written
   * before one move is there for certain when the next one finds it.
   * @throws {RetryableError} when MongoDB has lost the last move, and perhaps earlier writes
   */
  async confirm(): Promise<void> {
    await this.#move({});
  }

  async #move(change: Partial<JournalPositionDocument>): Promise<void> {
    const { _id, owner, version } = this.#stored;
    const moved = { ...this.#stored, ...this.#archive, ...change, version: version + 1, v: this.#formats.current };
    const { _id: _shard, ...fields } = moved;
    const { matchedCount } = await positionsOf(this.#mongo).updateOne({ _id, owner, version }, { $set: fields });
    if (matchedCount !== 1) throw new RetryableError(`The position of shard ${_id} is not what this owner wrote last.`);
    this.#stored = moved;
  }
}

/**
 * Numbers of commits go on beyond this one: the archive counts commits without entries too, and would take one of the same number for
 * archived.
 */
export const highestNamed = (position: JournalPositionDocument): number =>
  Math.max(furthest(position).commit, position.archived ?? 0);

/** The higher of what is and what may be written, mark by mark. */
export function furthest(position: JournalPositionDocument): Reached {
  return highest(position, position.ahead);
}

function highest(a: Reached, b: Reached): Reached {
  return {
    commit: Math.max(a.commit, b.commit),
    epoch: Math.max(a.epoch, b.epoch),
    idCounter: Math.max(a.idCounter, b.idCounter),
    tick: laterTick(a.tick, b.tick),
    atMs: Math.max(a.atMs, b.atMs),
  };
}

/** The later of two tick positions, `<ms>-<n>`. */
export function laterTick(a: string, b: string): string {
  return isLaterTick(b, a) ? b : a;
}

/**
 * A move counts when a majority of a replica set has it, and with it all that was written before: the next primary has it too, and a
 * primary that is cut off from the others can no longer make the journal shorter.
 */
const positionsOf = (mongo: MongoConnection) =>
  mongo.db.collection<JournalPositionDocument>(collections.shards, { writeConcern: { w: 'majority' } });
