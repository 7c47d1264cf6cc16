import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { Pace } from '../../../src/api/stream/pace.ts';
import { Session, type SessionParts } from '../../../src/api/stream/session.ts';
import { until } from '../../support/until.ts';

/** The part of a WebSocket that a session uses; it keeps what was asked of it. */
class SocketInMemory extends EventEmitter {
  readonly asked: string[] = [];
  readonly connection = Object.assign(new EventEmitter(), { bytesRead: 500, writableLength: 0 });

  close(code: number): void {
    this.asked.push(`close ${code}`);
  }

  pause(): void {
    this.asked.push('pause');
  }

  terminate(): void {
    this.asked.push('terminate');
    this.emit('close');
  }

  /** What the library reports of a ping or pong of so many bytes. */
  comes(event: 'ping' | 'pong', length: number): void {
    this.connection.bytesRead += 6 + length;
    this.emit(event, Buffer.alloc(length));
  }
}

describe('session: what comes beside messages', () => {
  let socket: SocketInMemory;
  let session: Session;

  beforeEach(() => {
    socket = new SocketInMemory();
    const limits = { socketsMax: 1, subscriptionsMax: 1, messagesPerMinute: 10, bytesPerMinute: 10_000 };
    const parts: Partial<SessionParts> = {
      socket: socket as unknown as WebSocket,
      connection: socket.connection as unknown as Socket,
      key: { caller: { plan: 'basic' } } as SessionParts['key'],
      channels: new Map(),
      limitsOf: () => limits,
      now: () => 1000,
      userPace: new Pace(),
    };
    session = new Session(parts as SessionParts);
  });

  it('pings and pongs wait for nothing; the half of a message does', () => {
    for (let n = 0; n < 5; n++) socket.comes('ping', n);
    for (let n = 0; n < 500; n++) socket.comes('pong', 4);
    expect(session.waitingBytes).to.equal(0);
    socket.connection.bytesRead += 300;
    socket.comes('ping', 4);
    expect(session.waitingBytes).to.equal(300);
  });

  it('of a client that sends too much nothing more is read, and it is ended soon', async () => {
    for (let n = 0; n < 10; n++) socket.comes('ping', 4);
    expect(socket.asked).to.deep.equal([]);
    socket.comes('ping', 4);
    expect(socket.asked).to.deep.equal(['close 4029', 'pause']);
    await until(() => socket.asked.includes('terminate'), 20_000);
  }).timeout(30_000);

  it('a client that is being closed counts on: one that floods then is no longer read', async () => {
    session.close({ code: 4001, reason: 'The API key is not valid any more.' });
    socket.connection.bytesRead += 20_000;
    session.countBytes();
    session.countBytes();
    expect(socket.asked).to.deep.equal(['close 4001', 'pause']);
    await until(() => socket.asked.includes('terminate'), 20_000);
  }).timeout(30_000);
});
