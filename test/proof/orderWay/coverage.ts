// Which files of src ran for a while: those with a function that V8's precise coverage counted. Loading a file does not count.
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

export class Coverage {
  readonly #session = new Session();

  static async begin(): Promise<Coverage> {
    const coverage = new Coverage();
    coverage.#session.connect();
    await coverage.#session.post('Profiler.enable');
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return coverage;
  }

  /** Files that ran since this was asked last, or since it began, relative to src. */
  async filesSince(): Promise<string[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(SRC))
      .filter(({ functions }) => functions.some(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0))
      .map(({ url }) => relative(SRC, fileURLToPath(url)))
      .sort();
  }

  end(): void {
    this.#session.disconnect();
  }
}
