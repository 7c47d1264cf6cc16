// The generation of stored forms: operators see which one may be written, and raise it.
import {
  raiseMongoRecord,
  raiseRedisRecord,
  readMongoRecord,
  readRedisRecord,
} from '../../shared/deployment/deploymentRecord.ts';
import { type LiveProcess, liveProcesses } from '../../shared/deployment/liveProcesses.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { operatorAct } from './operatorAct.ts';
import { type AdminCommand, Refused, UsageError } from './operatorParts.ts';

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

interface Raise {
  readonly shards: number;
  /** The generation that is written now. */
  readonly formats: number;
}

/**
 * Lets every process write the next generation of stored forms. It never happens by itself: from then on older builds cannot read what is
 * written, so the way back to them ends here, and an operator has to want that. For the terminal alone.
 */
export const raiseFormats = operatorAct<void, Raise, number>({
  check: async ({ redis }) => {
    const record = await readRedisRecord(redis);
    if (record === undefined) throw new Refused('There is no record yet: start a process of this build first.');
    const { shards, formats } = record;
    if (formats >= NEWEST_FORMAT) throw new Refused(`Generation ${formats} is written already; this build knows no newer one.`);
    const behind = (await liveProcesses(redis)).filter(({ reads }) => reads <= formats);
    if (behind.length > 0) {
      const names = behind.map(sentenceOf).join('\n');
      throw new Refused(`These processes cannot read generation ${formats + 1}; replace them first:\n${names}`);
    }
    return { shards, formats };
  },
  act: async ({ redis, mongo }, { shards, formats }) => {
    // MongoDB first: a command that ends in between is made whole by the next process that starts.
    await raiseMongoRecord(mongo, { shards, formats: formats + 1 });
    await raiseRedisRecord(redis, { shards, formats: formats + 1 });
    return formats + 1;
  },
  command: {
    name: 'formats raise',
    takes: '[--yes]',
    does: 'lets every process write the next generation; says first what that means, and does it with --yes',
    ask: (args) => {
      if (args.length > 0) throw new UsageError('formats raise takes nothing but --yes.');
    },
    meaning: ({ formats }) => [
      `Every process writes stored forms of generation ${formats + 1} from now on.`,
      `Builds that do not read generation ${formats + 1} can no longer be started on these stores: the way back to them ends here.`,
    ],
    again: 'bin/admin formats raise --yes does it.',
    data: ({ formats }, raised) => ({ formats: raised ?? formats, raised: raised !== undefined }),
    lines: () => ['Done: every process writes it within two seconds.'],
  },
});
