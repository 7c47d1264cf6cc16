// Shards that this pod has given back because they contain a form that only a newer build can read. The pod announces
// them with its heartbeat, so that pods that can read the form come first, and tries again much later. Nothing in the
// shard is changed meanwhile, and no account is quarantined.
import { type FormatSource, NEWEST_FORMAT, type NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { RefusedShard } from '../../core/messages/podStatus.ts';

export class RefusedShards {
  readonly #refusals = new Map<number, RefusedShard & { readonly notBeforeMs: number }>();
  readonly #log: Logger;
  readonly #retryMs: number;
  readonly #now: () => number;

  constructor(options: { log: Logger; retryMs: number; now: () => number }) {
    this.#log = options.log;
    this.#retryMs = options.retryMs;
    this.#now = options.now;
  }

  /** What the pod announces. */
  get list(): RefusedShard[] {
    return [...this.#refusals.values()].map(({ shard, form, version }) => ({ shard, form, version }));
  }

  get size(): number {
    return this.#refusals.size;
  }

  /** The shard is left to pods that can read it; nothing in it is touched. The log has one line for each form. */
  note(shard: number, { form, version, message }: NewerFormat): void {
    const known = this.#refusals.get(shard);
    this.#refusals.set(shard, { shard, form, version, notBeforeMs: this.#now() + this.#retryMs });
    if (known?.form === form && known.version === version) return;
    this.#log.warn({ shard, form, version, reads: NEWEST_FORMAT, reason: message }, 'shard refused');
  }

  mayTry(shard: number): boolean {
    return this.#now() >= (this.#refusals.get(shard)?.notBeforeMs ?? 0);
  }

  /** The shard has been read whole. */
  forget(shard: number): void {
    this.#refusals.delete(shard);
  }
}

/** Whether the deployment writes what this build cannot read: such a pod takes no shard, and says so once. */
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
