// Whether the deployment writes what this build cannot read: such a pod takes no shard, and says so once.
import type { FormatSource } from '../../shared/domain/formats.ts';
import { NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import type { Logger } from '../../shared/logger.ts';

export class BuildBehind {
  readonly #formats: FormatSource;
  readonly #log: Logger;
  #isBehind = false;

  constructor({ formats, log }: { readonly formats: FormatSource; readonly log: Logger }) {
    this.#formats = formats;
    this.#log = log;
  }

  /** As the record of the deployment is now. */
  look(): boolean {
    const { recorded } = this.#formats;
    const isBehind = recorded > NEWEST_FORMAT;
    if (isBehind && !this.#isBehind) {
      this.#log.error(
        { recorded, reads: NEWEST_FORMAT },
        'the deployment writes newer forms than this build reads: it takes no shard',
      );
    } else if (!isBehind && this.#isBehind) this.#log.info({ recorded }, 'this build reads what the deployment writes again');
    this.#isBehind = isBehind;
    return isBehind;
  }
}
