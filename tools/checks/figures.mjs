// Figures of the layout that may only fall: tools/checks/figures.json has each as it is. A check fails for a figure that has grown.
// In bin/test it fails, too, for a figure that has fallen and was not written down, so that no figure has room to grow back.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('figures.json', import.meta.url);

/** @typedef {'foldersInCircles' | 'smallFolders' | 'coreFilesOfAnOrder' | 'filesToAcknowledgement' | 'filesToHistory'} Figure */
/** @typedef {Partial<Record<Figure, number>>} Figures */

/** @returns {Figures} */
export const knownFigures = () => JSON.parse(readFileSync(FILE, 'utf8'));

/**
 * The faults of the figures, in sentences.
 * @param {Figures} seen
 * @param {{ known: Figures, isExact: boolean, slack?: number }} options `isExact`: a figure that has fallen is a fault, too; `slack`: a
 *   difference of so much is none
 * @returns {string[]}
 */
export function figureFaults(seen, { known, isExact, slack = 0 }) {
  return Object.entries(seen).flatMap(([name, value]) => {
    const was = known[/** @type {Figure} */ (name)] ?? 0;
    if (value > was + slack) return [`${name} was ${was} and is ${value}`];
    return value < was - slack && isExact
      ? [`${name} has fallen from ${was} to ${value}: write it down (docs/testing.md, "The layout")`]
      : [];
  });
}

/** Writes figures that have fallen. @param {Figures} seen */
export function tighten(seen) {
  const known = knownFigures();
  const lower = Object.entries(seen).filter(([name, value]) => value < (known[/** @type {Figure} */ (name)] ?? 0));
  if (lower.length > 0) writeFileSync(FILE, `${JSON.stringify({ ...known, ...Object.fromEntries(lower) }, undefined, 2)}\n`);
}
