// `bin/admin quarantine show`: shows one halted account, and what a lift or a drop would make of it.
import type { AdminCommand } from '../adminCommand.ts';
import { columns } from '../adminCommand.ts';
import { requireHalted } from './requireHalted.ts';

export const showQuarantine: AdminCommand = {
  name: 'quarantine show',
  takes: '0x…',
  does: 'shows a halted account: why, since when, what was set aside, and how far its state can be made again',
  async run(args, parts) {
    const { account, folded } = await requireHalted(args, parts);
    const { accountId, shard, reason, sinceMs, seq, setAside } = account;
    const { snapshotSeq, lastGood } = folded;
    const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
    const data = {
      ...{ account: accountId, shard, reason, since, last_seq: seq ?? null },
      ...{ set_aside_bytes: setAside?.bytes ?? 0, set_aside_seq: setAside?.lastSeq ?? null, snapshot_seq: snapshotSeq },
      ...{ last_good_seq: lastGood?.account.seq ?? null, cannot_be_folded: lastGood?.givenUp.length ?? null },
    };
    return {
      data,
      lines: columns([
        ['account', accountId],
        ['shard', String(shard)],
        ['since', since ?? 'not known'],
        ['reason', reason],
        ['snapshot', snapshotSeq === 0 ? 'none' : `entry ${snapshotSeq} in MongoDB`],
        ['set aside', setAside === undefined ? 'nothing' : `${setAside.bytes} bytes, up to entry ${setAside.lastSeq}`],
        ['last good', lastGood === undefined ? 'its snapshot cannot be read' : `entry ${lastGood.account.seq}`],
        ['not to be folded', lastGood === undefined ? 'not known' : `${lastGood.givenUp.length} entries`],
      ]),
    };
  },
};
