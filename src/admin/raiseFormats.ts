// `bin/admin formats raise`: lets every process write the next generation of stored forms. It never happens by itself: from
// then on older builds cannot read what is written, so the way back to them ends here, and an operator has to want that.

import { Refused, UsageError } from '../operators/operatorParts.ts';
import { raiseMongoRecord, raiseRedisRecord, readRedisRecord } from '../shared/deployment/deploymentRecord.ts';
import { liveProcesses } from '../shared/deployment/liveProcesses.ts';
import { NEWEST_FORMAT } from '../shared/domain/formats.ts';
import type { AdminCommand, Report } from './adminCommand.ts';
import { sentenceOf } from './showFormats.ts';

export const raiseFormats: AdminCommand = {
  name: 'formats raise',
  takes: '[--yes]',
  does: 'lets every process write the next generation; says first what that means, and does it with --yes',
  async run(args, { redis, mongo }) {
    const isMeant = args.length === 1 && args[0] === '--yes';
    if (args.length > 0 && !isMeant) throw new UsageError('formats raise takes nothing but --yes.');
    const record = await readRedisRecord(redis);
    if (record === undefined) throw new Refused('There is no record yet: start a process of this build first.');
    const { shards, formats } = record;
    if (formats >= NEWEST_FORMAT) throw new Refused(`Generation ${formats} is written already; this build knows no newer one.`);
    const next = formats + 1;
    const behind = (await liveProcesses(redis)).filter(({ reads }) => reads < next);
    if (behind.length > 0) {
      const names = behind.map(sentenceOf).join('\n');
      throw new Refused(`These processes cannot read generation ${next}; replace them first:\n${names}`);
    }
    if (!isMeant)
      return toReport(formats, false, [...meaningOf(next), 'Nothing was done. bin/admin formats raise --yes does it.']);
    // MongoDB first: a command that ends in between is made whole by the next process that starts.
    await raiseMongoRecord(mongo, { shards, formats: next });
    await raiseRedisRecord(redis, { shards, formats: next });
    return toReport(next, true, [...meaningOf(next), 'Done: every process writes it within two seconds.']);
  },
};

const meaningOf = (next: number): string[] => [
  `Every process writes stored forms of generation ${next} from now on.`,
  `Builds that do not read generation ${next} can no longer be started on these stores: the way back to them ends here.`,
];

const toReport = (formats: number, raised: boolean, lines: readonly string[]): Report => ({ data: { formats, raised }, lines });
