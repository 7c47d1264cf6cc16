// `bin/admin formats`: shows which generation of stored forms may be written, and what every live process reads and writes.
import {
  raiseMongoRecord,
  raiseRedisRecord,
  readMongoRecord,
  readRedisRecord,
} from '../../shared/deployment/deploymentRecord.ts';
import { type LiveProcess, liveProcesses } from '../../shared/deployment/liveProcesses.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { Refused, UsageError } from './operatorParts.ts';
import type { AdminCommand, Report } from './terminal.ts';

export const showFormats: AdminCommand = {
  name: 'formats',
  takes: '',
  does: 'shows the generation of stored forms that may be written, and what every live process reads and writes',
  async run(_args, { redis, mongo }) {
    const [inRedis, inMongo, processes] = await Promise.all([
      readRedisRecord(redis),
      readMongoRecord(mongo),
      liveProcesses(redis),
    ]);
    const [record] = [inRedis, inMongo].flatMap((one) => one ?? []).sort((a, b) => b.formats - a.formats);
    return {
      data: { formats: record?.formats ?? null, shards: record?.shards ?? null, processes: processes.map(toData) },
      lines: [
        record === undefined
          ? 'No record yet: the first process of a build that knows it writes it.'
          : `may be written: generation ${record.formats}`,
        ...processes.map(sentenceOf),
      ],
    };
  },
};

const toData = ({ name, roles, reads, writes }: LiveProcess) => ({ process: name, roles, reads, writes });

/** What a process reads and writes, in a line. */
const sentenceOf = ({ name, roles, reads, writes }: LiveProcess): string =>
  `  ${name} (${roles.join(', ')}): reads up to ${reads}, writes ${writes}`;

// `bin/admin formats raise`: lets every process write the next generation of stored forms. It never happens by itself: from
// then on older builds cannot read what is written, so the way back to them ends here, and an operator has to want that.

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
