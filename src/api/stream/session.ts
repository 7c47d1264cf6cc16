// One socket: reads its frames and hands each to the code that answers it. An unreadable frame costs an error message
// and nothing else; too many frames cost the socket.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { RequestError } from '../../shared/errors.ts';
import type { KeyRecord } from '../access/keyRecord.ts';
import type { Call, OwnAccounts } from '../accounts/services.ts';
import { type ClientFrame, type PostFrame, readFrame, readPostHead } from '../domain/frame.ts';
import { type JsonFault, scanJson } from '../domain/jsonBounds.ts';
import { refusalOf } from '../http/readJson.ts';
import { type CloseCode, closeCodes, type PricedChannel } from './channel/channel.ts';
import { toFrame, toMessage } from './channel/message.ts';
import {
  type CountsSubscriptions,
  MessageRate,
  POSTS_MAX,
  paceOfUser,
  SHORT_MESSAGE_BYTES_MAX,
  type StreamLimits,
  subscriptionMeter,
  subscriptionsMaxOf,
  type UserSubscriptions,
} from './limits.ts';
import { Outbox, SocketSends } from './outbox.ts';
import { type Post, refusedPost, type SentPost } from './post.ts';
import { Subscriptions } from './subscriptions.ts';

/** How much of an unreadable frame the error repeats, characters: all of it for any frame that clients send. */
const ECHO_MAX = 16_384;
/** How long a client has to read the messages before our close frame and to answer it, ms, so that it learns the code. */
const CLOSING_MS_MAX = 30_000;
/** The same for a client that has sent too much, of whom nothing more is read, ms. */
const FLOOD_CLOSING_MS_MAX = 1000;
/** Of a client's ping or pong: its first bytes and the mask. */
const CONTROL_HEAD_BYTES = 6;

const PONG = toFrame('{"channel":"pong"}');

export interface SessionParts {
  readonly socket: WebSocket;
  /** The connection that the socket writes to. */
  readonly connection: Socket;
  readonly key: KeyRecord;
  /** The client's, in its usual form. */
  readonly address: string;
  readonly channels: ReadonlyMap<string, PricedChannel>;
  readonly limitsOf: (key: KeyRecord) => StreamLimits;
  /** Bound of what is unsent, bytes. */
  readonly bytesMax: number;
  readonly now: () => number;
  readonly toCall: (key: KeyRecord) => Call;
  readonly ownAccounts: Pick<OwnAccounts, 'shown' | 'isOwn'>;
  /** Answers a post; never throws. */
  readonly post: Post;
  /** The minute of the key's user, and what they have subscribed to, over all sockets. */
  readonly userPace: MessageRate;
  readonly userSubscriptions: UserSubscriptions;
  /** What subscriptions cost a key. */
  readonly admission: CountsSubscriptions;
  readonly toRequestError: (error: unknown) => RequestError;
}

export class Session {
  /** The record of the socket's key; replaced when the key's plan or payment has changed. */
  key: KeyRecord;
  readonly #parts: SessionParts;
  readonly #outbox: SocketSends;
  readonly #subscriptions: Subscriptions;
  readonly #posts = new Set<Promise<void>>();
  /** Events that `notify` has sent a line about. */
  readonly #told = new Set<string>();
  #isClosing = false;
  #isFlooded = false;
  readonly #pace = new MessageRate();
  /** Bytes of the connection that were counted, and those that had come when the last message was whole. */
  #bytesCounted: number;
  #bytesWhole: number;

  constructor(parts: SessionParts) {
    const { socket, connection, bytesMax, now, channels, toRequestError, limitsOf, toCall, admission } = parts;
    this.#parts = parts;
    this.key = parts.key;
    this.#bytesCounted = connection.bytesRead;
    this.#bytesWhole = connection.bytesRead;
    const outbox = new Outbox({ socket, connection, bytesMax, now, close: (why) => this.close(why) });
    this.#outbox = new SocketSends(outbox, { profile: () => this.key.lab, now });
    this.#subscriptions = new Subscriptions({
      channels,
      outbox: this.#outbox,
      max: () => subscriptionsMaxOf(limitsOf(this.key), this.key.caller.plan),
      ofUser: parts.userSubscriptions,
      meter: subscriptionMeter(admission, { key: () => this.key, now }),
      call: () => toCall(this.key),
      ownAccounts: parts.ownAccounts,
      close: (why) => this.close(why),
      toRequestError,
    });
    socket.on('message', this.#onMessage);
    socket.on('ping', (data) => {
      this.#onControl(data);
      this.#isWithinPace(1);
    });
    socket.on('pong', this.#onControl);
    socket.on('close', () => {
      this.#subscriptions.closeAll();
      this.#outbox.end();
    });
    // The library closes the socket by itself after bytes that are no WebSocket frame, or too large a one.
    socket.on('error', () => undefined);
  }

  /** Where the client is. */
  get address(): string {
    return this.#parts.address;
  }

  /** When something was last sent to the client, ms since the epoch. */
  get sentMs(): number {
    return this.#outbox.sentMs;
  }

  /** What is unsent, and what has come of a message that is not whole, bytes. */
  get waitingBytes(): number {
    return this.#outbox.unsentBytes + this.#parts.connection.bytesRead - this.#bytesWhole;
  }

  /** Counts what has come of messages that are not whole yet. */
  countBytes(): void {
    if (this.#parts.connection.bytesRead !== this.#bytesCounted) this.#isWithinPace(0);
  }

  /** Ends a connection at which too much waits: its client would not read a close frame. */
  cutOff(): void {
    this.close(closeCodes.slow);
    this.terminate();
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
    this.#outbox.flush();
    socket.close(code, reason);
    // A client that does not read would never answer a close frame.
    this.#terminateIn(CLOSING_MS_MAX);
  }

  #terminateIn(ms: number): void {
    const { socket } = this.#parts;
    const cut = setTimeout(() => socket.terminate(), ms);
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

  /** Buffers are what the library gives by default. */
  readonly #onMessage = (data: Buffer, isBinary: boolean): void => {
    this.#bytesWhole = this.#parts.connection.bytesRead;
    if (!this.#isWithinPace(1) || this.#isClosing) return;
    if (isBinary) {
      this.#sayUnreadable('(a binary frame)');
      return;
    }
    const { fault, isOdd } = scanJson(data);
    const text = String(data);
    if (fault !== undefined) {
      this.#refuse(fault, text);
      return;
    }
    const frame = readFrame(text);
    if (frame === undefined || !this.#onFrame(frame, { bytes: data.length, isOdd })) this.#sayUnreadable(text);
  };

  /** Pings and pongs may come between the pieces of a message: they are no part of it. */
  readonly #onControl = (data: Buffer): void => {
    this.#bytesWhole = Math.min(this.#parts.connection.bytesRead, this.#bytesWhole + CONTROL_HEAD_BYTES + data.length);
  };

  /** A frame that is not worth parsing: where it begins like a post, the client is told which one is refused. */
  #refuse(fault: JsonFault, text: string): void {
    const head = readPostHead(text);
    if (head === undefined) this.#sayUnreadable(text);
    else this.#outbox.send(refusedPost(head, refusalOf(fault)));
  }

  #sayUnreadable(text: string): void {
    const echo = text.length > ECHO_MAX ? `${text.slice(0, ECHO_MAX)}…` : text;
    this.#outbox.send(toMessage('error', `Error parsing JSON into valid websocket request: ${echo}`));
  }

  /** @returns false for a frame that is not understood */
  #onFrame(frame: ClientFrame, sent: Pick<SentPost, 'bytes' | 'isOdd'>): boolean {
    if (frame.type !== 'post' && sent.bytes > SHORT_MESSAGE_BYTES_MAX) return false;
    switch (frame.type) {
      case 'ping':
        this.#outbox.send(PONG);
        return true;
      case 'post':
        this.#onPost(frame, sent);
        return true;
      case 'subscribe':
      case 'unsubscribe':
        return this.#subscriptions.onFrame(frame);
    }
  }

  #onPost(frame: PostFrame, sent: Pick<SentPost, 'bytes' | 'isOdd'>): void {
    if (this.#posts.size >= POSTS_MAX) {
      this.#outbox.send(toMessage('error', `too many pending post requests id=${frame.id}`));
      return;
    }
    const post = { ...sent, frame, key: this.key, closing: this.#parts.socket };
    const answering = this.#subscriptions.begun.then(() => this.#parts.post(post));
    const answered = answering.then((answer) => {
      this.#posts.delete(answered);
      if (answer === 'closes') this.terminate();
      else for (const message of answer) this.#outbox.send(message);
    });
    this.#posts.add(answered);
  }

  /**
   * Counts messages, and all bytes that have come, also while the socket closes. Past the plan's figures it is closed, and
   * nothing more is read: the client may ignore the close frame and send on.
   */
  #isWithinPace(messages: number): boolean {
    if (this.#isFlooded) return false;
    const { now, connection, limitsOf, userPace, socket } = this.#parts;
    const sent = { messages, bytes: connection.bytesRead - this.#bytesCounted };
    this.#bytesCounted = connection.bytesRead;
    const limits = limitsOf(this.key);
    const nowMs = now();
    const isOwnWithin = this.#pace.isWithin(limits, sent, nowMs);
    if (userPace.isWithin(paceOfUser(limits, this.key.caller.plan), sent, nowMs) && isOwnWithin) return true;
    this.#isFlooded = true;
    this.close(closeCodes.flood);
    socket.pause();
    this.#terminateIn(FLOOD_CLOSING_MS_MAX);
    return false;
  }
}
