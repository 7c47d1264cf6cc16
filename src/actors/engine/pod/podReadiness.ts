// Whether a pod has what it should have: its heartbeats reach Redis, the other pods trust it, and every shard that is due to it is
// its own and recovered. So a roll-out ends the next pod only when this one carries its share.
import { type AblePods, isDueTo, type ShardStatus } from '../../core/messages/podStatus.ts';

const NOT_TRUSTED = 'No shard is due to this pod yet: it is new, or the deployment writes newer forms than it reads';

/** The pod, with the shards that it owns now. */
interface OwningPod {
  readonly id: string;
  readonly shards: readonly { readonly status: ShardStatus }[];
}

export class PodReadiness {
  readonly #pod: OwningPod;
  readonly #shards: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  #beat: { readonly able: AblePods; readonly atMs: number } | undefined;

  /** @param options.shards of the deployment @param options.now a clock that only goes forward, ms */
  constructor(pod: OwningPod, options: { shards: number; ttlMs: number; now: () => number }) {
    this.#pod = pod;
    this.#shards = options.shards;
    this.#ttlMs = options.ttlMs;
    this.#now = options.now;
  }

  /** @param able the pods, as the heartbeat that has just been answered found them */
  onBeat(able: AblePods): void {
    this.#beat = { able, atMs: this.#now() };
  }

  /** @returns reasons in words for an operator; none = it is ready */
  whyNot(): readonly string[] {
    if (this.#beat === undefined || this.#now() - this.#beat.atMs > this.#ttlMs) {
      return [`No heartbeat of this pod has reached Redis for ${this.#ttlMs} ms`];
    }
    const { able } = this.#beat;
    if (!able.trusted.some(({ podId }) => podId === this.#pod.id)) return [NOT_TRUSTED];
    const owned = this.#pod.shards.map(({ status }) => status);
    const recovered = new Set(owned.filter((shard) => shard.recovered).map(({ shard }) => shard));
    const recovering = owned.filter((shard) => !shard.recovered).map(({ shard }) => shard);
    const due = Array.from({ length: this.#shards }, (_, shard) => shard).filter((shard) => isDueTo(shard, this.#pod.id, able));
    const missing = [...new Set([...recovering, ...due.filter((shard) => !recovered.has(shard))])];
    if (missing.length === 0) return [];
    return [`Shards that this pod should have and has not recovered: ${missing.sort((a, b) => a - b).join(', ')}`];
  }
}
