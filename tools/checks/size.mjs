// The size of src as a table: files, folders, lines, files and functions by length, and knots of folders. Generated files are left out.
// `node tools/checks/size.mjs [folder]`: of src below another folder, such as the worktree of an older commit.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { foldersIn, knotsOf } from './folders.mjs';

const GENERATED = ['src/dashboard/api/contract.ts'];
const [root = '.'] = process.argv.slice(2);
const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  .filter((file) => !GENERATED.includes(file))
  .sort();

/** @type {number[]} */
const functions = [];
/** @type {import('./folders.mjs').Import[]} */
const imports = [];
const lengths = files.map((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Set<number>} */
  const lines = new Set();
  visit(source, source, lines);
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles)
    if (fileName.startsWith('.')) imports.push({ from: file, to: join(dirname(file), fileName) });
  return { all: text.split('\n').length - 1, code: lines.size };
});

const knots = knotsOf(imports);
const rows = {
  files: files.length,
  folders: new Set(files.map((file) => dirname(file))).size,
  lines: sum(lengths.map(({ all }) => all)),
  'lines of code, without blanks and comments': sum(lengths.map(({ code }) => code)),
  'file, median and p95 lines': spread(lengths.map(({ all }) => all)),
  'function, median and p95 lines': spread(functions),
  'imports within src': imports.length,
  'folders in circles': `${foldersIn(knots)} in ${knots.length} knots`,
};
for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(46)}${value}`);

/**
 * Notes the lines of all words of the node, which are no comments, and the lengths of its functions.
 * @param {ts.Node} node @param {ts.SourceFile} source @param {Set<number>} lines
 */
function visit(node, source, lines) {
  const lineOf = (/** @type {number} */ at) => source.getLineAndCharacterOfPosition(at).line;
  if (ts.isJSDoc(node)) return;
  if (ts.isFunctionLike(node) && 'body' in node && node.body)
    functions.push(lineOf(node.end) - lineOf(node.getStart(source)) + 1);
  const children = node.getChildren(source);
  if (children.length === 0 && node.end > node.getStart(source))
    for (let line = lineOf(node.getStart(source)); line <= lineOf(node.end); line++) lines.add(line);
  for (const child of children) visit(child, source, lines);
}

/** @param {readonly number[]} numbers */
function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return `${at(0.5)} / ${at(0.95)}`;
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}
