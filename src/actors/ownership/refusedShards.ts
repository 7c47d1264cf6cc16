// Shards that this pod has given back because they contain a form that only a newer build can read. The pod announces
// them with its heartbeat, so that pods that can read the form come first, and tries again much later. Nothing in the
// shard is changed meanwhile, and no account is quarantined.
import type { NewerFormat } from '../../shared/domain/formats.ts';
import type { RefusedShard } from '../domain/messages/podStatus.ts';

export class RefusedShards {
  readonly #refusals = new Map<number, RefusedShard & { readonly notBeforeMs: number }>();
  readonly #retryMs: number;
  readonly #now: () => number;

  constructor(options: { retryMs: number; now: () => number }) {
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

  /** @returns true when it is new, for a line in the log */
  note(shard: number, { form, version }: NewerFormat): boolean {
    const known = this.#refusals.get(shard);
    this.#refusals.set(shard, { shard, form, version, notBeforeMs: this.#now() + this.#retryMs });
    return known?.form !== form || known.version !== version;
  }

  mayTry(shard: number): boolean {
    return this.#now() >= (this.#refusals.get(shard)?.notBeforeMs ?? 0);
  }

  /** The shard has been read whole. */
  forget(shard: number): void {
    this.#refusals.delete(shard);
  }
}
