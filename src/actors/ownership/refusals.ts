// Shards that this pod has given back because it met something in them that a newer build has written. It says so with its
// heartbeat, so that pods that can read it come first, and tries again much later: by then somebody else has the shard,
// or an operator has acted. Nothing in the shard is touched meanwhile, and nobody is quarantined.
import type { NewerFormat } from '../../shared/domain/formats.ts';
import type { Refusal } from '../domain/messages/podStatus.ts';

export class Refusals {
  readonly #refusals = new Map<number, Refusal & { readonly notBeforeMs: number }>();
  readonly #retryMs: number;
  readonly #now: () => number;

  constructor(options: { retryMs: number; now: () => number }) {
    this.#retryMs = options.retryMs;
    this.#now = options.now;
  }

  /** What the pod announces. */
  get list(): Refusal[] {
    return [...this.#refusals.values()].map(({ shard, form, version }) => ({ shard, form, version }));
  }

  get size(): number {
    return this.#refusals.size;
  }

  /** @returns true when it is not known yet: worth a line in the log */
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
