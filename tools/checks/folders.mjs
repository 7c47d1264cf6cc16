// The folders of src as a graph: knots of folders that know each other, and folders that hold too little to be one.

/** Folders of fewer than three files and folders, each with the reason. Features, and their folders, may be few without one. */
export const SMALL_FOLDERS = /** @type {Readonly<Record<string, string>>} */ ({
  'src/jobs/domain': 'the pure part of the jobs',
  'src/market/emulator/seed': 'recordings beside the code that reads them',
});
const ENTRIES_MIN = 3;
/** Where a role is composed: of the API also the list of all endpoints, and the parts that these are given. */
export const COMPOSITION = '^src/(?:[^/]+/role|api/(?:registry|apiParts))\\.ts$';

/** @typedef {{ readonly from: string, readonly to: string }} Import */
/** @typedef {{ readonly folder: string, readonly members: readonly string[] }} Knot */

/**
 * Knots of folders that import each other in a circle. In every folder its sub-folders are looked at with all that is in them, and the
 * files that lie in the folder itself count as one more, `.`: without knots a reader may read the folders one after the other. A role knows
 * whatever it composes and only main.ts knows it: its imports of other rooms make no knot.
 * @param {readonly Import[]} imports of files of src
 * @returns {Knot[]}
 */
export function knotsOf(imports) {
  /** @type {Map<string, Map<string, Set<string>>>} */
  const graphs = new Map();
  for (const { from, to } of imports) {
    const folder = commonFolder(from, to);
    const [a, b] = [memberOf(folder, from), memberOf(folder, to)];
    if (a === b || (folder === 'src' && new RegExp(COMPOSITION).test(from))) continue;
    const graph = graphs.get(folder) ?? new Map();
    graphs.set(folder, graph.set(a, (graph.get(a) ?? new Set()).add(b)));
  }
  return [...graphs].flatMap(([folder, graph]) => circles(graph).map((members) => ({ folder, members }))).sort(byFolder);
}

/** How many folders are in knots. @param {readonly Knot[]} knots */
export const foldersIn = (knots) => knots.reduce((sum, { members }) => sum + members.length, 0);

/**
 * Folders that hold too little to be a folder.
 * @param {readonly string[]} paths of all files of src
 * @returns {string[]}
 */
export function smallFolders(paths) {
  /** @type {Map<string, Set<string>>} */
  const entries = new Map();
  for (let path of paths)
    for (let folder = folderOf(path); folder !== ''; path = folder, folder = folderOf(path))
      entries.set(folder, (entries.get(folder) ?? new Set()).add(path));
  return [...entries]
    .filter(([folder, { size }]) => size < ENTRIES_MIN && !/^src\/features(?:\/|$)/.test(folder) && !SMALL_FOLDERS[folder])
    .map(([folder]) => folder);
}

/** Reasons for folders that are not there, or are not small any more. @param {readonly string[]} paths of all files of src */
export function idleReasons(paths, reasons = SMALL_FOLDERS) {
  const sizeOf = (/** @type {string} */ folder) => new Set(paths.filter((path) => folderOf(path) === folder)).size;
  return Object.keys(reasons)
    .filter((folder) => sizeOf(folder) === 0 || sizeOf(folder) >= ENTRIES_MIN)
    .map((folder) => `${folder} is named as small and is not`);
}

const folderOf = (/** @type {string} */ path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** @param {string} a @param {string} b */
function commonFolder(a, b) {
  let folder = folderOf(a);
  while (!b.startsWith(`${folder}/`)) folder = folderOf(folder);
  return folder;
}

/** @param {string} folder @param {string} file */
function memberOf(folder, file) {
  const [first = '', ...deeper] = file.slice(folder.length + 1).split('/');
  return deeper.length > 0 ? first : '.';
}

/** Sets of nodes that reach each other. @param {ReadonlyMap<string, ReadonlySet<string>>} graph @returns {string[][]} */
function circles(graph) {
  const reached = new Map([...graph.keys()].map((node) => [node, reachedFrom(node, graph)]));
  const knots = new Map();
  for (const node of graph.keys()) {
    const members = [...(reached.get(node) ?? [])].filter((other) => reached.get(other)?.has(node)).sort();
    if (members.length > 1) knots.set(members.join(), members);
  }
  return [...knots.values()];
}

/** @param {string} start @param {ReadonlyMap<string, ReadonlySet<string>>} graph */
function reachedFrom(start, graph) {
  const seen = new Set(graph.get(start));
  for (const node of seen) for (const next of graph.get(node) ?? []) seen.add(next);
  return seen;
}

const byFolder = (/** @type {Knot} */ a, /** @type {Knot} */ b) => (a.folder < b.folder ? -1 : 1);
