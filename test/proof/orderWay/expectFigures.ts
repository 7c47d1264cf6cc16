// Lists of files whose lengths may only fall: tools/checks/figures.json has them. `UPDATE_FIGURES=1` writes figures that have
// fallen.
import { expect } from 'chai';

type Figure = 'coreFilesOfAnOrder' | 'filesToAcknowledgement' | 'filesToHistory';

const { figureFaults, knownFigures, tighten } = await import('../../../tools/checks/figures.mjs' as string);

/**
 * @param slack a busy machine takes some of its turns otherwise: by so many files more a figure may differ, and fewer are not an error
 * @throws AssertionError with the files, when there are more than the figure says, or fewer without slack and the figure was not written down
 */
export function expectFigures(files: Readonly<Partial<Record<Figure, readonly string[]>>>, slack = 0): void {
  const seen = Object.fromEntries(Object.entries(files).map(([name, list]) => [name, list.length]));
  if (process.env['UPDATE_FIGURES'] !== undefined) tighten(seen);
  const faults = figureFaults(seen, { known: knownFigures(), isExact: slack === 0, slack });
  expect(faults, `UPDATE_FIGURES=1 writes what has fallen; the files:\n${JSON.stringify(files, undefined, 1)}`).to.deep.equal([]);
}
