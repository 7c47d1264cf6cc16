// `bin/admin formats`: shows which generation of stored forms may be written, and what every live process reads and writes.
import { readMongoRecord, readRedisRecord } from '../shared/deployment/deploymentRecord.ts';
import { type LiveProcess, liveProcesses } from '../shared/deployment/liveProcesses.ts';
import type { AdminCommand } from './adminCommand.ts';

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
export const sentenceOf = ({ name, roles, reads, writes }: LiveProcess): string =>
  `  ${name} (${roles.join(', ')}): reads up to ${reads}, writes ${writes}`;
