// Writes the golden files of the newest generation: `node --import tsx test/formats/writeGolden.ts`. Files of a generation that has
// its tag stay as they are, for builds have written such forms: a form that changes belongs to a new generation.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { goldenArchive, goldenCandles, goldenExcursions, goldenKept, goldenLife, goldenMessages, LIVES } from './golden.ts';

const tag = `generation-${NEWEST_FORMAT}`;
const isTagged = execFileSync('git', ['tag', '--list', tag], { encoding: 'utf8' }).trim() !== '';
if (isTagged) throw new Error(`${tag} is tagged: its golden files never change.`);
const folder = new URL(`../fixtures/formats/${NEWEST_FORMAT}/`, import.meta.url);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const write = (name: string, content: unknown): void =>
  writeFileSync(new URL(name, folder), `${JSON.stringify(content, undefined, 1)}\n`);
for (const life of LIVES) write(`life-${life.replace('random ', '')}.json`, goldenLife(life, NEWEST_FORMAT));
write('messages.json', goldenMessages(NEWEST_FORMAT));
write('candles.json', goldenCandles());
write('excursions.json', goldenExcursions(NEWEST_FORMAT));
write('kept.json', await goldenKept(NEWEST_FORMAT));
write('archive.json', await goldenArchive(NEWEST_FORMAT));
