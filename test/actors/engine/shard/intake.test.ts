import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import { type MailboxCommand, WaitingAccounts } from '../../../../src/actors/engine/commit/mailbox.ts';
import type { Lease } from '../../../../src/actors/engine/ownership/lease.ts';
import { Intake } from '../../../../src/actors/engine/shard/intake.ts';
import { PossiblePoison } from '../../../../src/actors/engine/shard/openShard.ts';
import { NEWEST_FORMAT, NewerFormat, writeForm } from '../../../../src/shared/domain/formats.ts';
import { SHARD_MAILBOX } from '../../../../src/shared/redis/keys.ts';
import type { Redis } from '../../../../src/shared/redis/redis.ts';
import { until } from '../../../support/until.ts';

/** So many consumed commands make a draft full. */
const ROOM = 4;

class SmallDraft extends CommitDraft {
  override get isFull(): boolean {
    return this.commands >= ROOM;
  }
}

/** Nothing is asked of it: the tests answer. */
const NO_REDIS = {} as Redis;

/** The streams of a shard and the commits that empty them. Reads, commits and answers arrive when a test says so. */
class Mailroom {
  readonly waiting = new WaitingAccounts();
  /** The commands that ran, by account, in their order. */
  readonly ran = new Map<string, string[]>();
  readonly storedTexts: (string | null | undefined)[] = [];
  readonly toLoad = new Set<string>();
  readonly here = new Set<string>();
  readonly reads: { readonly accountIds: readonly string[]; readonly finish: (error?: Error) => void }[] = [];
  readonly newer: string[] = [];
  /** Accounts of one read whose commands are few enough bytes. */
  readAtMost = Number.POSITIVE_INFINITY;
  shardMailboxCalls = 0;
  readonly intake: Intake;
  readonly #streams = new Map<string, MailboxCommand[]>();
  readonly #consumed = new Map<CommitDraft, [accountId: string, commandId: string][]>();
  #draft = new SmallDraft(1, NEWEST_FORMAT);
  #inFlight: CommitDraft | undefined;
  #stillWaiting: string[] | undefined;
  #lastId = 0;

  constructor(accountIds: readonly string[] = []) {
    for (const accountId of accountIds) this.here.add(accountId);
    const shard = {
      pod: { redis: NO_REDIS, log: pino({ level: 'silent' }), turns: { micros: () => 0 } },
      lease: { shard: 0 } as Lease,
      opened: { waiting: this.waiting, possiblePoison: new Map<string, number>() },
      load: { charge: () => undefined },
      accounts: { isHere: (id: string) => this.here.has(id) },
      commits: this,
      decisions: { commands: { run: this.#run } },
      loader: { isAway: () => false, want: (id: string) => void this.toLoad.add(id) },
      shardCommands: {
        want: () => {
          this.shardMailboxCalls += 1;
        },
      },
      events: { onWork: () => this.work(), onEnd: (error: Error) => void this.newer.push((error as NewerFormat).form) },
    };
    const possiblePoison = new PossiblePoison(shard, () => Promise.resolve(true));
    this.intake = new Intake(
      { ...shard, possiblePoison },
      {
        mailboxes: (_redis, _shard, ids) => this.#read(ids),
        remembered: (_redis, _shard, mailboxes) =>
          Promise.resolve(new Map([...mailboxes.values()].flat().map(({ id }) => [id, `remembered ${id}`]))),
      },
    );
  }

  get draft(): CommitDraft {
    return this.#draft;
  }

  hasConsumed(accountId: string): boolean {
    return this.#draft.hasConsumed(accountId) || this.#inFlight?.hasConsumed(accountId) === true;
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  /** Puts a command at the end of the account's stream. As in Redis the bell rings for the first in a stream only. */
  submit(accountId: string, { isHeard = true, hasKey = false } = {}): string {
    this.#lastId += 1;
    const id = `${this.#lastId}-0`;
    const envelope = { ...(hasKey && { idempotency: { key: 'k', bodyDigest: 'd' } }) };
    const text = writeForm(envelope, NEWEST_FORMAT);
    const stream = this.#streams.get(accountId) ?? [];
    if (stream.length === 0 && isHeard) this.waiting.onBell(`${accountId}\n${id}\n${text}`);
    this.#streams.set(accountId, [...stream, { id, text, envelope: envelope as MailboxCommand['envelope'] }]);
    return id;
  }

  /** A turn of the shard: serve, send, read. */
  work(): void {
    do {
      this.intake.serve(() => false);
      if (this.#inFlight === undefined && !this.#draft.isEmpty) {
        this.#inFlight = this.#draft;
        this.#draft = new SmallDraft(this.#draft.number + 1, NEWEST_FORMAT);
      }
    } while (this.intake.hasWork && !this.#draft.isFull);
    this.intake.readNext();
  }

  /** The commit in flight takes its commands out of their streams. */
  apply(): void {
    const draft = this.#inFlight;
    if (draft === undefined || this.#stillWaiting !== undefined) return;
    for (const [accountId, commandId] of this.#consumed.get(draft) ?? []) {
      const left = (this.#streams.get(accountId) ?? []).filter(({ id }) => id !== commandId);
      if (left.length > 0) this.#streams.set(accountId, left);
      else this.#streams.delete(accountId);
    }
    this.#stillWaiting = [...draft.consumedAccounts].filter((accountId) => this.#streams.has(accountId));
  }

  /** Its answer arrives. */
  answer(): void {
    const draft = this.#inFlight;
    const stillWaiting = this.#stillWaiting;
    if (draft === undefined || stillWaiting === undefined) return;
    this.#inFlight = undefined;
    this.#stillWaiting = undefined;
    this.intake.onCommitted(draft.consumedAccounts, stillWaiting);
    this.work();
  }

  async finishRead(error?: Error): Promise<void> {
    this.reads.shift()?.finish(error);
    await new Promise((resolve) => setImmediate(resolve));
  }

  load(): void {
    for (const accountId of this.toLoad) {
      this.here.add(accountId);
      this.waiting.add(accountId);
    }
    this.toLoad.clear();
    this.work();
  }

  /** Names every account, as bells and an old pending set can. */
  name(): void {
    for (const accountId of ['a', 'b', 'c']) this.waiting.add(accountId);
    this.work();
  }

  sweep(): void {
    for (const accountId of this.#streams.keys()) if (!this.intake.isBusy(accountId)) this.waiting.add(accountId);
    this.work();
  }

  readonly #run = (accountId: string, { id }: MailboxCommand, draft: CommitDraft, storedText?: string | null): void => {
    draft.consume(accountId, id);
    this.#consumed.set(draft, [...(this.#consumed.get(draft) ?? []), [accountId, id]]);
    this.ran.set(accountId, [...(this.ran.get(accountId) ?? []), id]);
    this.storedTexts.push(storedText);
  };

  #read(accountIds: readonly string[]): Promise<Map<string, MailboxCommand[]>> {
    const found = new Map(
      accountIds.slice(0, this.readAtMost).map((accountId) => [accountId, this.#streams.get(accountId) ?? []]),
    );
    return new Promise((resolve, reject) => {
      this.reads.push({ accountIds, finish: (error) => (error ? reject(error) : resolve(found)) });
    });
  }
}

describe('intake: which commands of a shard are run next', () => {
  it('a command that a bell brought along is run at once, without a read', () => {
    const room = new Mailroom(['a']);
    const id = room.submit('a');
    room.work();
    expect(room.ran.get('a')).to.deep.equal([id]);
    expect(room.reads).to.have.length(0);
  });

  it('accounts that a read leaves out, because the others have so much, are read next', async () => {
    const room = new Mailroom(['a', 'b', 'c']);
    room.readAtMost = 1;
    const ids = ['a', 'b', 'c'].map((accountId) => room.submit(accountId, { isHeard: false }));
    room.name();
    for (let n = 0; n < 3; n++) {
      await room.finishRead();
      room.apply();
      room.answer();
    }
    expect([...room.ran.values()].flat()).to.deep.equal(ids);
    expect(room.isEmpty).to.equal(true);
  });

  it('a command whose bell was not heard is read first, and so is one with an Idempotency-Key', async () => {
    const room = new Mailroom(['a', 'b']);
    const unheard = room.submit('a', { isHeard: false });
    const keyed = room.submit('b', { hasKey: true });
    room.waiting.add('a');
    room.work();
    expect(room.reads[0]?.accountIds).to.deep.equal(['b', 'a']);
    expect(room.ran.size).to.equal(0);
    await room.finishRead();
    expect([...room.ran]).to.deep.equal([
      ['b', [keyed]],
      ['a', [unheard]],
    ]);
    expect(room.storedTexts).to.deep.equal([`remembered ${keyed}`, `remembered ${unheard}`]);
  });

  it('heads that bells brought are not trusted after bells may have been missed', () => {
    const room = new Mailroom(['a']);
    room.submit('a');
    room.waiting.forgetHeads();
    room.work();
    expect(room.ran.size).to.equal(0);
    expect(room.reads[0]?.accountIds).to.deep.equal(['a']);
  });

  it('an account that becomes pending while its commands are read is looked at again when they are committed', async () => {
    const room = new Mailroom(['a']);
    const first = room.submit('a', { isHeard: false });
    room.waiting.add('a');
    room.work();
    const second = room.submit('a', { isHeard: false });
    room.waiting.add('a');
    room.work();
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal([first]);
    expect(room.intake.isBusy('a')).to.equal(true);
    room.apply();
    room.answer();
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal([first, second]);
  });

  it('an account whose commands wait for their commit is left alone, so nothing is run twice', () => {
    const room = new Mailroom(['a']);
    const id = room.submit('a');
    room.work();
    room.waiting.add('a');
    room.sweep();
    expect(room.reads).to.have.length(0);
    expect(room.ran.get('a')).to.deep.equal([id]);
  });

  it('an account for which the bell rings before its commit is answered is looked at when it is', () => {
    const room = new Mailroom(['a']);
    const first = room.submit('a');
    room.work();
    room.apply();
    const second = room.submit('a');
    room.work();
    expect(room.ran.get('a')).to.deep.equal([first]);
    room.answer();
    expect(room.ran.get('a')).to.deep.equal([first, second]);
  });

  it('an account whose stream holds more after the commit is looked at again though it was not named', async () => {
    const room = new Mailroom(['a']);
    const first = room.submit('a');
    room.work();
    const second = room.submit('a');
    room.apply();
    room.answer();
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal([first, second]);
  });

  it('an account that is named though its stream is empty is consumed, so that it leaves the pending set', async () => {
    const room = new Mailroom(['a']);
    room.waiting.add('a');
    room.work();
    expect(room.intake.isBusy('a')).to.equal(true);
    await room.finishRead();
    expect(room.ran.size).to.equal(0);
    expect(room.intake.isBusy('a')).to.equal(true);
    room.apply();
    room.answer();
    expect(room.intake.isBusy('a')).to.equal(false);
  });

  it('a bell for an account that waits to be read changes nothing: what it brought is read and run once', async () => {
    const room = new Mailroom(['a', 'b']);
    room.submit('b', { hasKey: true });
    room.work();
    room.waiting.add('a');
    room.work();
    const first = room.submit('a');
    room.work();
    expect(room.ran.size).to.equal(0);
    await room.finishRead();
    room.apply();
    room.answer();
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal([first]);
    room.apply();
    room.answer();
    const second = room.submit('a', { isHeard: false });
    room.sweep();
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal([first, second]);
  });

  it('a command with an Idempotency-Key that is left for a later draft is read again: its record may have been written', async () => {
    const room = new Mailroom(['a']);
    const ids = Array.from({ length: ROOM + 1 }, () => room.submit('a', { hasKey: true }));
    room.work();
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal(ids.slice(0, ROOM));
    room.apply();
    room.answer();
    expect(room.ran.get('a')).to.deep.equal(ids.slice(0, ROOM));
    expect(room.reads).to.have.length(1);
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal(ids);
  });

  it('a command without one is run from what was read', async () => {
    const room = new Mailroom(['a']);
    const ids = Array.from({ length: ROOM + 1 }, () => room.submit('a', { isHeard: false }));
    room.waiting.add('a');
    room.work();
    await room.finishRead();
    room.apply();
    room.answer();
    expect(room.ran.get('a')).to.deep.equal(ids);
  });

  it('a full draft leaves accounts where they are', () => {
    const room = new Mailroom(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
    for (const accountId of room.here) room.submit(accountId);
    room.work();
    expect([...room.ran.keys()]).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    room.apply();
    room.answer();
    expect([...room.ran.keys()]).to.deep.equal([...room.here]);
  });

  it('an account that is not in memory is loaded, and the shard’s own mailbox is nobody’s account', () => {
    const room = new Mailroom();
    const id = room.submit('a');
    room.waiting.add(SHARD_MAILBOX);
    room.work();
    expect([...room.toLoad]).to.deep.equal(['a']);
    expect(room.shardMailboxCalls).to.equal(1);
    room.load();
    expect(room.ran.get('a')).to.deep.equal([id]);
  });

  it('what is read after a stop is not run', async () => {
    const room = new Mailroom(['a']);
    room.submit('a', { hasKey: true });
    room.work();
    room.intake.stop();
    await room.finishRead();
    expect(room.ran.size).to.equal(0);
  });

  it('a read that fails is made again, later', async () => {
    const room = new Mailroom(['a']);
    const id = room.submit('a', { hasKey: true });
    room.work();
    await room.finishRead(new Error('no connection'));
    expect(room.intake.isBusy('a')).to.equal(true);
    await until(() => room.reads.length > 0);
    await room.finishRead();
    expect(room.ran.get('a')).to.deep.equal([id]);
  });

  it('a command of a newer build is told and read no more', async () => {
    const room = new Mailroom(['a']);
    room.submit('a', { hasKey: true });
    room.work();
    await room.finishRead(new NewerFormat('command', 9));
    expect(room.newer).to.deep.equal(['command']);
    expect(room.intake.isBusy('a')).to.equal(true);
  });

  it('whatever comes in between, every command is run once and an account’s in their order', async () => {
    const accountIds = ['a', 'b', 'c'];
    const submission = fc.record({
      accountId: fc.constantFrom(...accountIds),
      isHeard: fc.boolean(),
      hasKey: fc.boolean(),
    });
    const step = fc.oneof(
      { weight: 4, arbitrary: submission },
      { weight: 5, arbitrary: fc.constantFrom('work', 'sweep', 'read', 'apply', 'answer', 'load', 'name' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const room = new Mailroom(['a', 'b']);
        const submitted = new Map<string, string[]>();
        const take = async (wanted: (typeof steps)[number]) => {
          if (wanted === 'read') await room.finishRead();
          else if (typeof wanted === 'string') room[wanted]();
          else {
            const { accountId, ...how } = wanted;
            submitted.set(accountId, [...(submitted.get(accountId) ?? []), room.submit(accountId, how)]);
          }
        };
        for (const wanted of steps) await take(wanted);
        for (let round = 0; !room.isEmpty && round < 100; round++) {
          for (const wanted of ['sweep', 'read', 'load', 'apply', 'answer'] as const) await take(wanted);
        }
        expect(room.ran).to.deep.equal(new Map([...room.ran.keys()].map((id) => [id, submitted.get(id)])));
        expect(room.isEmpty).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });
});
