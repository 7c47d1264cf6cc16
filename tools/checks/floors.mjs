// The order of the folders in src/actors/core, and how many files a folder of src may hold. Both
// .dependency-cruiser.mjs and boundaries.mjs read these facts. docs/architecture.md says what each folder is for.

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
  'house',
  'scheduled',
  'lifecycle',
  'views',
];

/** More files than a reader takes in at a glance. */
export const FOLDER_FILES_MAX = 15;

/** Folders that may hold more, each with the reason: files of one kind, one beside the other, found by their names. */
export const LARGER_FOLDERS = /** @type {Readonly<Record<string, string>>} */ ({
  'src/shared/domain': 'units of time are imported by half of the rest',
  'src/dashboard/domain': 'units of time are imported by half of the rest',
});

/**
 * What is wrong with the folders of src, in sentences.
 * @param {readonly string[]} paths of all files of src, `src/api/server.ts`
 * @param {Readonly<Record<string, string>>} [larger] folders that may hold more, with the reason
 */
export function folderFaults(paths, larger = LARGER_FOLDERS) {
  /** @type {Map<string, number>} */
  const files = new Map();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    files.set(folder, (files.get(folder) ?? 0) + 1);
  }
  const faults = [];
  for (const [folder, count] of files) {
    const isLarge = count > FOLDER_FILES_MAX;
    const reason = larger[folder];
    if (isLarge && !reason) faults.push(`${folder} holds ${count} files, more than ${FOLDER_FILES_MAX}`);
    if (!isLarge && reason !== undefined) faults.push(`${folder} is named as larger and holds ${count} files only`);
    const floor = /^src\/actors\/core\/([^/]+)$/.exec(folder)?.[1];
    if (floor !== undefined && !FLOORS.includes(floor)) faults.push(`${folder} has no place in the order of the floors`);
  }
  for (const folder of Object.keys(larger)) if (!files.has(folder)) faults.push(`${folder} is named as larger and is not there`);
  return faults;
}
