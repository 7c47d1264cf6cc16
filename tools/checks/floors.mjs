// The order of the folders in src/actors/core. Both .dependency-cruiser.mjs and boundaries.mjs read it. docs/architecture.md says what
// each folder is for.

/** Each folder imports only what stands before it; the files beside the folders (decide.ts and the like) import them all. */
export const FLOORS = [
  'messages',
  'account',
  'margin',
  'fills',
  'history',
  'fold',
  'checks',
  'orders',
  'matching',
  'liquidation',
  'lifecycle',
  'views',
];

/**
 * Folders of the core that have no place in the order, in sentences.
 * @param {readonly string[]} paths of all files of src, `src/api/server.ts`
 * @returns {string[]}
 */
export function floorFaults(paths) {
  const floors = new Set(paths.flatMap((path) => /^src\/actors\/core\/([^/]+)\//.exec(path)?.[1] ?? []));
  return [...floors]
    .filter((floor) => !FLOORS.includes(floor))
    .map((floor) => `src/actors/core/${floor} has no place in the order of the floors`);
}
