import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import type { Call } from '../../../src/api/accounts/services.ts';
import type { Channel, PricedChannel } from '../../../src/api/stream/channel/channel.ts';
import { MessageRate, UserSubscriptions } from '../../../src/api/stream/limits.ts';
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

  /** The library's report of a ping or pong of so many bytes. */
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
      userPace: new MessageRate(),
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
    await until(() => socket.asked.includes('terminate'));
  });

  it('a client that is being closed counts on: one that floods then is no longer read', async () => {
    session.close({ code: 4001, reason: 'The API key, or the session, is not valid any more.' });
    socket.connection.bytesRead += 20_000;
    session.countBytes();
    session.countBytes();
    expect(socket.asked).to.deep.equal(['close 4001', 'pause']);
    await until(() => socket.asked.includes('terminate'));
  });
});

describe('session: subscriptions', () => {
  let happened: string[];
  let socket: SocketInMemory & { readyState: number; OPEN: number };
  let userSubscriptions: UserSubscriptions;
  let count: () => void;
  let open: Channel['open'];
  let session: Session;

  beforeEach(() => {
    happened = [];
    userSubscriptions = new UserSubscriptions();
    count = () => undefined;
    open = () => new Promise(() => undefined);
    socket = Object.assign(new SocketInMemory(), { readyState: 1, OPEN: 1 });
    const connection = Object.assign(socket.connection, {
      ...{ writableCorked: 0, cork: () => undefined, uncork: () => undefined },
      write: (frame: Buffer) => happened.push(frame.toString('utf8', frame.indexOf('{'))),
    });
    const channel: PricedChannel = {
      weight: 2,
      type: 'orderUpdates',
      read: () => ({ type: 'orderUpdates' }),
      open: (subscription, subscriber) => {
        happened.push('begun');
        return open(subscription, subscriber);
      },
    };
    const parts: Partial<SessionParts> = {
      socket: socket as unknown as WebSocket,
      connection: connection as unknown as Socket,
      key: { caller: { plan: 'basic' } } as SessionParts['key'],
      channels: new Map([['orderUpdates', channel]]),
      limitsOf: () => ({ socketsMax: 1, subscriptionsMax: 1, messagesPerMinute: 10, bytesPerMinute: 10_000 }),
      toCall: ({ caller }) => ({ caller }) as Call,
      ownAccounts: { shown: (own) => own, isOwn: () => true },
      ...{ now: () => 1000, userPace: new MessageRate(), userSubscriptions, bytesMax: 1_000_000 },
      admission: {
        admitSubscription: () => new Promise((resolve) => (count = resolve)),
        addToSubscription: async () => undefined,
        hasWeightLeft: () => true,
      },
      post: async () => {
        happened.push('post');
        return [Buffer.from('{"answered":true}')];
      },
    };
    session = new Session(parts as SessionParts);
  });
  const send = (method: string, more: object): boolean =>
    socket.emit('message', Buffer.from(JSON.stringify({ method, ...more })), false);
  const ofOrders = { subscription: { type: 'orderUpdates' } };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('what is sent after one waits until it is counted and begun, and no longer', async () => {
    send('subscribe', ofOrders);
    send('post', { id: 1, request: { type: 'info', payload: {} } });
    await turn();
    expect(happened).to.deep.equal([]);
    count();
    await turn();
    expect(happened).to.deep.equal(['begun', 'post', '{"answered":true}']);
  });

  it('one that waited for its turn while the socket was closed is not opened, and counts no more', async () => {
    let opened = (): void => undefined;
    open = () => new Promise((resolve) => (opened = () => resolve({ start: () => undefined, close: () => undefined })));
    send('subscribe', ofOrders);
    count();
    await turn();
    send('unsubscribe', ofOrders);
    send('subscribe', ofOrders);
    session.close({ code: 4010, reason: 'The stream of the account is broken. Connect again with fromSeq.' });
    opened();
    await turn();
    count();
    await turn();
    expect(happened.filter((what) => what === 'begun')).to.have.length(1);
    expect(userSubscriptions.take({ type: 'orderUpdates' }, 1, () => false)).to.equal(undefined);
  });
});
