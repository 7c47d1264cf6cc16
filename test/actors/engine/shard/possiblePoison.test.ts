import { expect } from 'chai';
import { pino } from 'pino';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import type { MailboxCommand } from '../../../../src/actors/engine/commit/mailbox.ts';
import type { Lease } from '../../../../src/actors/engine/ownership/lease.ts';
import { PossiblePoison } from '../../../../src/actors/engine/shard/openShard.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import type { Redis } from '../../../../src/shared/redis/redis.ts';
import { until } from '../../../support/until.ts';

const commandOf = (id: string): MailboxCommand => ({ id, text: '{}', envelope: undefined });

/** Counts and runs in the order in which they happen; a count is answered when the test says so. */
class Watched {
  readonly happened: string[] = [];
  readonly #answers: ((isCounted: boolean) => void)[] = [];
  readonly possiblePoison: PossiblePoison;

  constructor(diedOf: Record<string, number>, { failures = 0 } = {}) {
    let failuresLeft = failures;
    const draft = new CommitDraft(1, NEWEST_FORMAT);
    this.possiblePoison = new PossiblePoison(
      {
        pod: { redis: {} as Redis, log: pino({ level: 'silent' }) },
        lease: { shard: 0 } as Lease,
        opened: { possiblePoison: new Map(Object.entries(diedOf)) },
        commits: { draft },
        decisions: { commands: { run: (accountId, { id }) => void this.happened.push(`run ${id} of ${accountId}`) } },
        events: { onWork: () => undefined },
      },
      (_redis, _lease, { id, ownersBegun }) => {
        this.happened.push(`count ${id} ${ownersBegun}`);
        failuresLeft -= 1;
        if (failuresLeft >= 0) return Promise.reject(new Error('Redis is away'));
        return new Promise((resolve) => this.#answers.push(resolve));
      },
    );
  }

  async answer(isCounted = true): Promise<void> {
    this.#answers.shift()?.(isCounted);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('possible poison: one at a time, each counted before it begins', () => {
  it('a command that no owner has died of, or two have, is none of them', () => {
    const { possiblePoison, happened } = new Watched({ 'b-0': 2 });
    expect(possiblePoison.takes('a', commandOf('a-0'))).to.equal(false);
    expect(possiblePoison.takes('b', commandOf('b-0')), 'it is parked').to.equal(false);
    expect(happened).to.deep.equal([]);
  });

  it('the next one is counted when the commit of the last one is answered', async () => {
    const watched = new Watched({ '1-0': 0, '2-0': 1 });
    const { possiblePoison, happened } = watched;
    expect(possiblePoison.takes('a', commandOf('1-0'))).to.equal(true);
    expect(possiblePoison.takes('b', commandOf('2-0'))).to.equal(true);
    expect(happened).to.deep.equal(['count 1-0 1']);
    await watched.answer();
    expect(happened).to.deep.equal(['count 1-0 1', 'run 1-0 of a']);
    expect([possiblePoison.has('a'), possiblePoison.has('b')]).to.deep.equal([true, true]);
    possiblePoison.onCommitted('c');
    possiblePoison.onCommitted('a');
    await watched.answer();
    expect(happened.slice(2)).to.deep.equal(['count 2-0 2', 'run 2-0 of b']);
    possiblePoison.onCommitted('b');
    expect([possiblePoison.has('a'), possiblePoison.has('b')]).to.deep.equal([false, false]);
  });

  it('a lease that ran out and is renewed: the command is counted again, and what waits behind it is not stuck', async () => {
    const watched = new Watched({ '1-0': 0, '2-0': 0 });
    const { possiblePoison, happened } = watched;
    possiblePoison.takes('a', commandOf('1-0'));
    possiblePoison.takes('b', commandOf('2-0'));
    await watched.answer(false);
    expect(happened).to.deep.equal(['count 1-0 1']);
    await until(() => happened.length === 2);
    await watched.answer();
    possiblePoison.onCommitted('a');
    await watched.answer();
    expect(happened).to.deep.equal(['count 1-0 1', 'count 1-0 1', 'run 1-0 of a', 'count 2-0 1', 'run 2-0 of b']);
  });

  it('what cannot be counted does not begin: not after the lease is lost, not after a stop, and later when Redis is away', async () => {
    const lost = new Watched({ '1-0': 0 });
    lost.possiblePoison.takes('a', commandOf('1-0'));
    await lost.answer(false);
    lost.possiblePoison.stop();
    const stopped = new Watched({ '1-0': 0 });
    stopped.possiblePoison.takes('a', commandOf('1-0'));
    stopped.possiblePoison.stop();
    await stopped.answer();
    expect([...lost.happened, ...stopped.happened]).to.deep.equal(['count 1-0 1', 'count 1-0 1']);
    const away = new Watched({ '1-0': 0 }, { failures: 1 });
    away.possiblePoison.takes('a', commandOf('1-0'));
    await until(() => away.happened.length === 2);
    await away.answer();
    expect(away.happened).to.deep.equal(['count 1-0 1', 'count 1-0 1', 'run 1-0 of a']);
  });
});
