// What a client sends over its sockets in a minute: messages, and bytes in whatever form they come. Each socket has the
// figures of its plan, and all sockets of a user on this node have as many times those figures as the plan has keys.

import { MINUTE_MS } from '../../../shared/domain/units.ts';

export interface PaceLimits {
  readonly messagesPerMinute: number;
  readonly bytesPerMinute: number;
}

/** The minute in progress of a socket or a user. */
export class Pace {
  #endsMs = 0;
  #messages = 0;
  #bytes = 0;

  /** True when nothing of it counts any more. */
  isOver(nowMs: number): boolean {
    return nowMs >= this.#endsMs;
  }

  /** Counts what was sent. @returns false when it is more than allowed */
  isWithin(limits: PaceLimits, sent: { messages: number; bytes: number }, nowMs: number): boolean {
    if (this.isOver(nowMs)) {
      this.#endsMs = nowMs + MINUTE_MS;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += sent.messages;
    this.#bytes += sent.bytes;
    return this.#messages <= limits.messagesPerMinute && this.#bytes <= limits.bytesPerMinute;
  }
}
