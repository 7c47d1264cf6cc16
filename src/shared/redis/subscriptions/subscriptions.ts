// Listening to channels of Redis, on one server or on a cluster.

export interface ChannelListener {
  onMessage(channel: string, text: string): void;
  /** From now on messages of these channels may be lost. */
  onAway?(channels: readonly string[]): void;
  /** These channels are heard again. What was published meanwhile is lost. */
  onBack?(channels: readonly string[]): void;
}

/** The channels that a part of the process listens to. */
export interface Subscriptions {
  /** Resolves when the channel is heard. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Ends listening. The connection stays open. */
  stop(): Promise<void>;
}
