import { expect } from 'chai';
import { ALL_USERS, type Bounded, SocketsOfUsers } from '../../../src/api/stream/userSockets.ts';

describe('userSockets: what waits at sockets is bounded for each user and for all', () => {
  let users: SocketsOfUsers<Bounded>;
  let cut: string[];
  const add = (user: string, waitingBytes: number): void =>
    users.add(user, { waitingBytes, cutOff: () => void cut.push(`${user} ${waitingBytes}`) });
  beforeEach(() => {
    users = new SocketsOfUsers<Bounded>({ bytesMax: 1000 });
    cut = [];
  });

  it('past the bound of one user, its fullest sockets are closed', () => {
    for (const bytes of [300, 500, 400]) add('a', bytes);
    add('b', 1000);
    users.sweep(0);
    expect(cut).to.deep.equal(['a 500']);
  });

  it('past that of all, those users give way who hold most; the others feel nothing', () => {
    for (let n = 0; n < ALL_USERS; n++) add(`greedy ${n}`, 900);
    for (let n = 0; n < 10; n++) add(`quiet ${n}`, 100);
    users.sweep(0);
    expect(cut).to.deep.equal([]);
    for (let n = 0; n < 10; n++) add(`late ${n}`, 400);
    users.sweep(0);
    expect(new Set(cut.map((one) => one.split(' ')[0]))).to.deep.equal(new Set(['greedy']));
  });
});
