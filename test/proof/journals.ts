// The text from which the digests of test/proof/journals.test.ts are made. `node --import tsx test/proof/journals.ts`
//   show <kind> <number>                        prints the life as text, a line for each entry, outcome, row, snapshot and answer
//   show <kind> <number> --against <worktree>   prints the first line that another checkout, which has this program too, has otherwise
//   write                                       writes the digests: only from sources of which the lives are right
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BATCH_LIVES, digestsOf, KINDS } from './recordedLives.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } });
const [act, kind = '', number = ''] = positionals;

if (act === 'write') write();
else if (act !== 'show') throw new Error('say what: show <kind> <number>, or write');
else if (values.against === undefined) console.log(linesOf().join('\n'));
else console.log(firstDifference(linesOf(), linesThere(values.against)));

function write(): void {
  const digests = Object.entries(KINDS).map(([name, { count, draw }]) => {
    const lives = draw();
    const firsts = Array.from({ length: count / BATCH_LIVES }, (_, at) => at * BATCH_LIVES);
    return [name, firsts.map((first) => digestsOf(lives.slice(first, first + BATCH_LIVES)))];
  });
  const file = new URL('../fixtures/journals.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(digests), undefined, 1)}\n`);
}

function linesOf(): readonly string[] {
  const lines = KINDS[kind]?.draw()[Number(number)]?.live().lines;
  if (!lines) throw new Error(`no life ${number} of kind '${kind}'; the kinds are ${Object.keys(KINDS).join(', ')}`);
  return lines;
}

/** The lines of the same life in another checkout. */
function linesThere(worktree: string): readonly string[] {
  const args = ['--import', 'tsx', 'test/proof/journals.ts', 'show', kind, number];
  const output = execFileSync(process.execPath, args, { cwd: worktree, encoding: 'utf8', maxBuffer: 1 << 28 });
  return output.trimEnd().split('\n');
}

function firstDifference(here: readonly string[], there: readonly string[]): string {
  const at = Array.from({ length: Math.max(here.length, there.length) }, (_, line) => line).find(
    (line) => here[line] !== there[line],
  );
  if (at === undefined) return 'the same';
  return `line ${at + 1}\nhere:  ${here[at] ?? 'nothing'}\nthere: ${there[at] ?? 'nothing'}`;
}
