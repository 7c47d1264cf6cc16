// What a try of a delivery came to, by any channel.

export interface TryResult {
  readonly isDelivered: boolean;
  /** In words that the user of the endpoint may read. */
  readonly result: string;
  /** The receiver wants nothing before this, ms. */
  readonly notBeforeMs?: number;
}
