// `bin/admin account show`: what an account is, and where everything of it is stored.

import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { balanceOf } from '../../actors/core/margin/margin.ts';
import { parsePodStatus, shardOwners } from '../../actors/core/messages/podStatus.ts';
import { CannotRebuild, rebuildAccount } from '../../actors/core/rebuildAccount.ts';
import type { OperatorParts } from '../../operators/operatorParts.ts';
import { haltedAccounts } from '../../operators/quarantine/haltedAccounts.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { podKeys, shardKeys } from '../../shared/redis/keys.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { type AdminCommand, columns } from '../adminCommand.ts';
import { AccountPast, accountNamed, refuseUnknown } from './accountPast.ts';

export const showArchivedAccount: AdminCommand = {
  name: 'account show',
  takes: 'ACCOUNT',
  does: 'shows an account: its user, shard and owner, its state, and what history, archive and journal have of it',
  async run([name], parts) {
    const named = await accountNamed(name, parts);
    const { accountId, shard, user } = named;
    const past = await AccountPast.read(parts, named);
    const [lastSeq, chunks, stored] = await Promise.all([
      past.lastSeq(),
      past.reader.chunks(),
      parts.mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: accountId }),
    ]);
    if (stored === null) refuseUnknown(past, lastSeq);
    const position = await parts.mongo.db
      .collection<{ _id: number; commit: number; archived?: number }>(collections.shards)
      .findOne({ _id: shard });
    const halted = (await haltedAccounts(parts)).find((one) => one.accountId === accountId);
    const firstEntry = await firstOf(past, lastSeq);
    const data = {
      ...{ account: accountId, user: user?._id ?? null, email: user?.email ?? null, plan: user?.plan ?? null },
      ...{ shard, owner: await ownerOf(parts, shard), halted_for: halted?.reason ?? null },
      ...(await stateOf(past, Math.max(lastSeq, stored?.seq ?? 0))),
      ...{
        snapshot_seq: stored?.seq ?? null,
        history_commit: position?.commit ?? null,
        archived_commit: position?.archived ?? null,
      },
      archive: {
        ...{ first_seq: firstEntry, last_seq: chunks.at(-1)?.lastSeq ?? null, chunks: chunks.length },
        bytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
        states: past.states.map(({ seq, reason, after }) => ({ seq, reason, ...(after < seq && { after }) })),
      },
      journal: { first_seq: past.live[0]?.seq ?? null, last_seq: past.live.at(-1)?.seq ?? null, entries: past.live.length },
    };
    const { archive, journal, ...fields } = data;
    const states = archive.states.map(({ seq, reason }) => (reason === 'distance' ? `${seq}` : `${seq} (${reason})`));
    const rows: [string, string][] = [
      ...Object.entries(fields).map(([field, value]): [string, string] => [field, String(value ?? '-')]),
      [
        'archive',
        `entries ${archive.first_seq ?? '-'} to ${archive.last_seq ?? '-'}, ${archive.chunks} chunks, ${archive.bytes} bytes`,
      ],
      ['states', states.slice(-10).join(', ') || '-'],
      ['journal', `entries ${journal.first_seq ?? '-'} to ${journal.last_seq ?? '-'}, ${journal.entries} in Redis`],
    ];
    return { data, lines: columns(rows) };
  },
};

/** The account as of its newest entry, from what is stored. */
async function stateOf(past: AccountPast, seq: number) {
  try {
    const { account } = await rebuildAccount(past, past.accountId, seq);
    return {
      ...{ seq: account.seq, time: new Date(account.timeMs).toISOString(), state_hash: stateHashOf(account) },
      ...{ balance_usd: balanceOf(account).toFixed(), positions: account.positions.size },
      ...{ open_orders: account.orders.size, triggers: account.triggers.size, twaps: account.twaps.size, cannot_rebuild: null },
    };
  } catch (error) {
    if (!(error instanceof CannotRebuild)) throw error;
    return { seq, cannot_rebuild: error.message };
  }
}

async function firstOf(past: AccountPast, lastSeq: number): Promise<number | null> {
  for await (const { seq } of past.entries(0, lastSeq)) return seq;
  return null;
}

async function ownerOf({ redis }: OperatorParts, shard: number): Promise<string | null> {
  const lease = await redis.get(shardKeys.lease(shard));
  const leases: (string | null)[] = Array.from({ length: shard + 1 }, () => null);
  leases[shard] = lease;
  const pods = Object.entries(await redis.hgetall(podKeys.pods)).map(([podId, value]) => parsePodStatus(podId, value));
  return shardOwners(pods, leases)[shard]?.podId ?? null;
}
