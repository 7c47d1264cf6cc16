// Compares what a page shows with a kept picture. `UPDATE_PICTURES=1` keeps what is shown now. A difference leaves three files for
// people to look at: the expected picture, the actual picture, and the pixels that differ.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const PROJECT_DIR = fileURLToPath(new URL('../../..', import.meta.url));
const KEPT = join(PROJECT_DIR, 'test/fixtures/pictures');
const DIFFERENCES = join(PROJECT_DIR, 'var/test/pictures');
/** Share of the pixels that may differ: edges of letters are drawn a little otherwise by another build of Chromium. */
const TOLERANCE = 0.001;
/** How far a pixel's colour may be off, 0 to 1. */
const COLOUR_TOLERANCE = 0.15;

/** @returns undefined when it is the kept picture, else a sentence that names the files */
export function differenceTo(name: string, shown: Buffer): string | undefined {
  const file = join(KEPT, `${name}.png`);
  if (process.env['UPDATE_PICTURES'] === '1') {
    write(file, shown);
    return undefined;
  }
  const actualFile = join(DIFFERENCES, `${name}.actual.png`);
  if (!existsSync(file)) {
    write(actualFile, shown);
    return `there is no picture of ${name} yet; ${relative(PROJECT_DIR, actualFile)} is what came. UPDATE_PICTURES=1 keeps it`;
  }
  const [expected, actual] = [PNG.sync.read(readFileSync(file)), PNG.sync.read(shown)];
  const [width, height] = [Math.max(expected.width, actual.width), Math.max(expected.height, actual.height)];
  const difference = new PNG({ width, height });
  const pixels = pixelmatch(onCanvas(expected, width, height), onCanvas(actual, width, height), difference.data, width, height, {
    threshold: COLOUR_TOLERANCE,
  });
  const isOtherSize = Math.abs(expected.height - actual.height) > 2 || Math.abs(expected.width - actual.width) > 2;
  if (!isOtherSize && pixels <= TOLERANCE * width * height) return undefined;
  const files = { expected: readFileSync(file), actual: shown, difference: PNG.sync.write(difference) };
  const written = Object.entries(files).map(([kind, content]) => write(join(DIFFERENCES, `${name}.${kind}.png`), content));
  return `${name} is not as it was, ${pixels} pixels of ${width * height}: ${written.map((one) => relative(PROJECT_DIR, one)).join(', ')}`;
}

/** The picture at the left top of an empty picture of the size. */
function onCanvas(picture: PNG, width: number, height: number): Buffer {
  const canvas = new PNG({ width, height });
  PNG.bitblt(picture, canvas, 0, 0, picture.width, picture.height, 0, 0);
  return canvas.data;
}

function write(file: string, content: Buffer): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}
