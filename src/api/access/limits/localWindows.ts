// Sliding windows in this node's memory, beside those in Redis. What the node has granted counts here too, so a
// subject never gets more than its limit from one node, also while Redis is away, slow, full, or has lost its data. A
// count leaves earlier here than in Redis, so that this node refuses nothing that Redis would grant.

/** Sub-windows of a window. */
const BUCKETS = 12;

interface Counts {
  total: number;
  /** The newest sub-window that holds something. */
  bucket: number;
  /** Counts of the sub-windows, in a ring. */
  readonly ring: Float64Array;
}

export class LocalWindows {
  readonly #windowMs: number;
  readonly #bucketMs: number;
  readonly #subjectsMax: number;
  readonly #nowMs: () => number;
  /** In the order of their newest sub-windows. */
  readonly #subjects = new Map<string, Counts>();

  /**
   * @param options.subjectsMax some 250 bytes each; past it the one that has asked for nothing for longest is dropped
   * @param options.nowMs a clock that never jumps
   */
  constructor(options: { windowMs: number; subjectsMax: number; nowMs?: () => number }) {
    this.#windowMs = options.windowMs;
    this.#bucketMs = options.windowMs / BUCKETS;
    this.#subjectsMax = options.subjectsMax;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Subjects in memory. */
  get size(): number {
    return this.#subjects.size;
  }

  /** What the subject has used in the window. */
  used(subject: string, nowMs = this.#nowMs()): number {
    const counts = this.#subjects.get(subject);
    if (counts === undefined) return 0;
    forget(counts, this.#bucketOf(nowMs));
    return counts.total;
  }

  /** Milliseconds until so much of what is used has left the window; a whole window where that is more than is used. */
  leavesInMs(subject: string, amount: number): number {
    const used = this.used(subject);
    const ring = this.#subjects.get(subject)?.ring;
    if (ring === undefined || used < amount) return this.#windowMs;
    const nowMs = this.#nowMs();
    let oldest = this.#bucketOf(nowMs) - BUCKETS;
    for (let gone = 0; gone < amount; ) {
      oldest += 1;
      gone += ring[oldest % BUCKETS] ?? 0;
    }
    // Numbers of sub-windows are ahead by one window.
    return oldest * this.#bucketMs - nowMs;
  }

  /** Counts without asking whether there is room. */
  add(subject: string, cost: number, nowMs = this.#nowMs()): void {
    const bucket = this.#bucketOf(nowMs);
    let counts = this.#subjects.get(subject);
    if (counts === undefined || counts.bucket !== bucket) {
      this.#subjects.delete(subject);
      if (counts === undefined) {
        this.#makeRoom();
        counts = { total: 0, bucket, ring: new Float64Array(BUCKETS) };
      } else {
        forget(counts, bucket);
        counts.bucket = bucket;
      }
      this.#subjects.set(subject, counts);
    }
    counts.total += cost;
    counts.ring[bucket % BUCKETS] = (counts.ring[bucket % BUCKETS] ?? 0) + cost;
  }

  #makeRoom(): void {
    if (this.#subjects.size < this.#subjectsMax) return;
    const [oldest] = this.#subjects.keys();
    if (oldest !== undefined) this.#subjects.delete(oldest);
  }

  /** Numbers begin with a whole window, so that no place in a ring is negative. */
  #bucketOf(nowMs: number): number {
    return Math.floor(nowMs / this.#bucketMs) + BUCKETS;
  }
}

/** Takes out what is older than the window. */
function forget(counts: Counts, bucket: number): void {
  const { ring } = counts;
  const passed = Math.min(BUCKETS, bucket - counts.bucket);
  for (let i = 1; i <= passed; i++) {
    const place = (counts.bucket + i) % BUCKETS;
    counts.total -= ring[place] ?? 0;
    ring[place] = 0;
  }
  if (passed > 0) counts.bucket = bucket;
}
