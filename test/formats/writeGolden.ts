// Writes the golden files of the newest generation, once: `node --import tsx test/formats/writeGolden.ts`. What is there stays
// as it is, for builds have written it: a form that changes belongs to a generation of its own.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { goldenArchive, goldenKept, goldenLife, goldenMessages, LIVES } from './golden.ts';

const folder = new URL(`../fixtures/formats/${NEWEST_FORMAT}/`, import.meta.url);
if (existsSync(folder)) throw new Error(`Generation ${NEWEST_FORMAT} has its golden files: they never change.`);
mkdirSync(folder, { recursive: true });
const write = (name: string, content: unknown): void =>
  writeFileSync(new URL(name, folder), `${JSON.stringify(content, undefined, 1)}\n`);
for (const life of LIVES) write(`life-${life.replace('random ', '')}.json`, goldenLife(life, NEWEST_FORMAT));
write('messages.json', goldenMessages(NEWEST_FORMAT));
write('kept.json', await goldenKept(NEWEST_FORMAT));
write('archive.json', await goldenArchive(NEWEST_FORMAT));
