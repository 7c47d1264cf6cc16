// Keeps the archive for the days of the owner's plan, once an hour, and within the plan's bytes. An account stays one that can be
// rebuilt: the newest state that is old enough is what is left to begin with, and what lies before it goes.

import { accountAddresses } from '../shared/access/subAccountAddress.ts';
import { removeOtherFiles } from '../shared/archive/archiveFolder.ts';
import { type ChunkDocument, chunkId, firstOfChunk, idsOf, type StateDocument } from '../shared/archive/archiveForm.ts';
import { ArchiveReader, type StateHead } from '../shared/archive/archiveReader.ts';
import type { JobParts, RepeatableJob } from '../shared/deployment/job.ts';
import { plans } from '../shared/domain/plan.ts';
import { DAY_MS, HOUR_MS } from '../shared/domain/units.ts';
import { collections, type MongoConnection } from '../shared/mongo/mongo.ts';
import type { User } from '../shared/mongo/userStore.ts';

const USERS_PER_STEP = 200;

export const archiveRetention: RepeatableJob = {
  name: 'archive-retention',
  everyMs: HOUR_MS,
  async run(parts, periodMs) {
    let accounts = 0;
    for await (const owners of ownersInSteps(parts.mongo, USERS_PER_STEP)) {
      for (const owner of owners) {
        for (const address of accountAddresses(owner)) {
          if (await dropOld(parts, { address, plan: owner.plan }, periodMs)) accounts += 1;
        }
      }
    }
    if (accounts > 0) parts.log.info({ accounts }, 'archived entries that are too old, or too many, are removed');
  },
};

/** What retention has to know of a user. */
export type HistoryOwner = Pick<User, '_id' | 'address' | 'subAccountsMade' | 'plan'>;

/** All users, some at a time, in the order of their ids: users who come or go meanwhile make a job miss no other. */
export async function* ownersInSteps({ db }: MongoConnection, limit: number): AsyncGenerator<HistoryOwner[]> {
  const users = db.collection<HistoryOwner>(collections.users);
  for (let after = ''; ; ) {
    const step = await users
      .find({ _id: { $gt: after } }, { projection: { address: 1, subAccountsMade: 1, plan: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    const last = step.at(-1);
    if (last === undefined) return;
    yield step;
    after = last._id;
  }
}

/** @returns true when something was removed */
async function dropOld(
  { mongo, config, log }: JobParts,
  { address, plan }: Pick<HistoryOwner, 'address' | 'plan'>,
  nowMs: number,
): Promise<boolean> {
  const reader = new ArchiveReader(mongo, address);
  const states = await reader.states();
  if (states.length === 0) return false;
  const { historyDays, archiveBytes } = plans[plan];
  const bounds = { oldMs: nowMs - historyDays * DAY_MS, bytesMax: archiveBytes };
  const begin = beginning(states, await reader.chunks(), bounds);
  const hasDropped = begin !== undefined && (await dropBefore(mongo, begin));
  // Each time: a run that died after it had dropped documents has left their files.
  if (config.ARCHIVE_DIR !== '') {
    const readKept = async () => ({ chunks: idsIn(await reader.chunks()), states: idsIn(await reader.states()) });
    await removeOtherFiles(config.ARCHIVE_DIR, address, readKept).catch((error: unknown) => {
      log.warn({ account: address, err: error }, 'files of the archive that are too old cannot be removed');
    });
  }
  return hasDropped;
}

/** The state that what is left begins with: one that is old enough, or a newer one where too much lies after that. */
function beginning(
  states: readonly StateHead[],
  chunks: readonly Omit<ChunkDocument, 'parts'>[],
  { oldMs, bytesMax }: { oldMs: number; bytesMax: number },
): StateHead | undefined {
  const bytesAfter = (seq: number) => chunks.reduce((sum, { lastSeq, bytes }) => sum + (lastSeq > seq ? bytes : 0), 0);
  const old = states.findLast(({ timeMs }) => timeMs < oldMs);
  if (bytesAfter(old?.seq ?? 0) <= bytesMax) return old;
  return states.find(({ seq }) => bytesAfter(seq) <= bytesMax) ?? states.at(-1);
}

/** @returns true when something was removed */
async function dropBefore({ db }: MongoConnection, { account, seq }: StateHead): Promise<boolean> {
  // The chunk that has the state's own entry stays: the entries after it may be in it.
  const chunks = { _id: { $gte: idsOf(account).$gte, $lt: chunkId(account, firstOfChunk(seq)) } };
  // States first: a run that dies between the two leaves entries before the first state, and never a state before a hole.
  const states = { _id: idsOf(account), seq: { $lt: seq } };
  const goneStates = await db.collection<StateDocument>(collections.archiveStates).deleteMany(states);
  const gone = await db.collection<ChunkDocument>(collections.archive).deleteMany(chunks);
  return gone.deletedCount + goneStates.deletedCount > 0;
}

const idsIn = (documents: readonly { readonly _id: string }[]): Set<string> => new Set(documents.map(({ _id }) => _id));
