// One socket: reads its frames and hands each to the code that answers it. An unreadable frame costs an error message
// and nothing else; too many frames cost the socket.
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { RequestError } from '../../shared/errors.ts';
import type { KeyRecord } from '../access/credentials.ts';
import type { Call } from '../accounts/services.ts';
import { type Frame, type PostFrame, readFrame } from '../domain/stream/frame.ts';
import type { Channel } from './channel/channel.ts';
import { type CloseCode, closeCodes } from './closeCodes.ts';
import { toFrame, toMessage } from './message.ts';
import { Outbox } from './outbox.ts';
import { POSTS_MAX, type StreamLimits } from './streamLimits.ts';
import { Subscriptions } from './subscriptions.ts';

/** How much of an unreadable frame the error repeats, characters: all of it for any frame that clients send. */
const ECHO_MAX = 16_384;
/** How long a client has to read the messages before our close frame and to answer it, ms, so that it learns the code. */
const CLOSING_MS_MAX = 30_000;
const MINUTE_MS = 60_000;

const PONG = toFrame('{"channel":"pong"}');

export interface SessionParts {
  readonly socket: WebSocket;
  /** The connection that the socket writes to. */
  readonly connection: Duplex;
  readonly key: KeyRecord;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly limitsOf: (key: KeyRecord) => StreamLimits;
  /** Bound of what is unsent, bytes. */
  readonly bytesMax: number;
  readonly now: () => number;
  readonly toCall: (key: KeyRecord) => Call;
  /** Answers a post; never throws. */
  readonly post: (frame: PostFrame, key: KeyRecord) => Promise<Buffer>;
  readonly toRequestError: (error: unknown) => RequestError;
}

export class Session {
  /** The record of the socket's key; replaced when the key's plan or payment has changed. */
  key: KeyRecord;
  readonly #parts: SessionParts;
  readonly #outbox: Outbox;
  readonly #subscriptions: Subscriptions;
  readonly #posts = new Set<Promise<void>>();
  /** Events that `notify` has sent a line about. */
  readonly #told = new Set<string>();
  #isClosing = false;
  #minute = { endsMs: 0, messages: 0 };

  constructor(parts: SessionParts) {
    const { socket, connection, bytesMax, now, channels, toRequestError, limitsOf, toCall } = parts;
    this.#parts = parts;
    this.key = parts.key;
    this.#outbox = new Outbox({ socket, connection, bytesMax, now, close: (why) => this.close(why) });
    this.#subscriptions = new Subscriptions({
      channels,
      outbox: this.#outbox,
      subscriptionsMax: () => limitsOf(this.key).subscriptionsMax,
      call: () => toCall(this.key),
      close: (why) => this.close(why),
      toRequestError,
    });
    socket.on('message', this.#onMessage);
    socket.on('ping', () => void this.#isWithinPace());
    socket.on('close', () => this.#subscriptions.closeAll());
    // The library closes the socket by itself after bytes that are no WebSocket frame, or too large a one.
    socket.on('error', () => undefined);
  }

  /** When something was last sent to the client, ms since the epoch. */
  get sentMs(): number {
    return this.#outbox.sentMs;
  }

  /**
   * Sends a line of text for a person to the socket's `notification` subscriptions, once per event.
   * @param event the subject: a second line about it is not sent
   */
  notify(event: string, text: string): void {
    if (this.#isClosing || this.#told.has(event)) return;
    if (this.#subscriptions.say('notification', toMessage('notification', { notification: text }))) this.#told.add(event);
  }

  close({ code, reason }: CloseCode): void {
    if (this.#isClosing) return;
    const { socket } = this.#parts;
    this.#isClosing = true;
    this.#subscriptions.closeAll();
    socket.close(code, reason);
    // A client that does not read would never answer a close frame.
    const cut = setTimeout(() => socket.terminate(), CLOSING_MS_MAX);
    socket.once('close', () => clearTimeout(cut));
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#parts.socket.terminate();
  }

  /** Takes no more frames, answers the posts in flight, closes. */
  async drain(): Promise<void> {
    const { socket } = this.#parts;
    socket.off('message', this.#onMessage);
    await Promise.all(this.#posts);
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    this.close(closeCodes.goingAway);
    await closed;
  }

  readonly #onMessage = (data: RawData, isBinary: boolean): void => {
    if (this.#isClosing || !this.#isWithinPace()) return;
    const text = isBinary ? '(a binary frame)' : String(data);
    const frame = isBinary ? undefined : readFrame(text);
    if (frame === undefined || !this.#onFrame(frame)) {
      const echo = text.length > ECHO_MAX ? `${text.slice(0, ECHO_MAX)}…` : text;
      this.#outbox.send(toMessage('error', `Error parsing JSON into valid websocket request: ${echo}`));
    }
  };

  /** @returns false for a frame that is not understood */
  #onFrame(frame: Frame): boolean {
    switch (frame.type) {
      case 'ping':
        this.#outbox.send(PONG);
        return true;
      case 'post':
        this.#onPost(frame);
        return true;
      case 'subscribe':
      case 'unsubscribe':
        return this.#subscriptions.onFrame(frame);
    }
  }

  #onPost(frame: PostFrame): void {
    if (this.#posts.size >= POSTS_MAX) {
      this.#outbox.send(toMessage('error', `too many pending post requests id=${frame.id}`));
      return;
    }
    const answered = this.#parts.post(frame, this.key).then((answer) => {
      this.#posts.delete(answered);
      this.#outbox.send(answer);
    });
    this.#posts.add(answered);
  }

  /** Counts a message; past the plan's number a minute the socket is closed. */
  #isWithinPace(): boolean {
    const nowMs = this.#parts.now();
    if (nowMs >= this.#minute.endsMs) this.#minute = { endsMs: nowMs + MINUTE_MS, messages: 0 };
    this.#minute.messages += 1;
    if (this.#minute.messages <= this.#parts.limitsOf(this.key).messagesPerMinute) return true;
    this.close(closeCodes.flood);
    return false;
  }
}
