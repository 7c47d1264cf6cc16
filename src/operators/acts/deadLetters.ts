// The dead letters of all shards: commands that were parked because a rule threw, two owners died of them, or they could
// not be read. A letter is named `<shard>:<id in the shard's stream>`.
import { type CommandEnvelope, readEnvelope } from '../../actors/core/messages/envelope.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { type OperatorParts, Unknown, UsageError } from './operatorParts.ts';
import { type AdminCommand, columns } from './terminal.ts';

export interface DeadLetter {
  readonly name: string;
  readonly shard: number;
  /** Id in the shard's stream. */
  readonly id: string;
  readonly accountId: string;
  readonly reason: string;
  readonly parkedMs: number;
  readonly text: string;
  /** Undefined when this build cannot read the command. */
  readonly envelope: CommandEnvelope | undefined;
}

type Parts = Pick<OperatorParts, 'redis' | 'billing'>;

/** The newest letters first. @param count of each shard, at most */
async function readDeadLetters({ redis, billing }: Parts, count: number): Promise<DeadLetter[]> {
  const shards = Array.from({ length: billing.config.SHARDS }, (_, shard) => shard);
  const found = await Promise.all(
    shards.map(async (shard) => {
      const letters = await redis.xrevrange(shardKeys.dead(shard), '+', '-', 'COUNT', count);
      return letters.map(([id, fields]) => toLetter(shard, id, fields));
    }),
  );
  return found.flat().sort((a, b) => b.parkedMs - a.parkedMs);
}

/** @throws {Unknown} when there is no such letter, {UsageError} when the name is none */
export async function requireDeadLetter({ redis, billing }: Parts, name: string | undefined): Promise<DeadLetter> {
  const [, shardText, id] = /^(\d{1,2}):(\d+-\d+)$/.exec(name ?? '') ?? [];
  const shard = Number(shardText);
  if (id === undefined || shard >= billing.config.SHARDS) {
    throw new UsageError('Which dead letter? <shard>:<id>, as dead-letters list shows it.');
  }
  const [found] = await redis.xrange(shardKeys.dead(shard), id, id);
  if (found === undefined) throw new Unknown(`There is no dead letter ${name} (any more).`);
  return toLetter(shard, ...found);
}

/** Where a page of letters begins: behind this one. */
export interface LetterPlace {
  readonly shard: number;
  readonly id: string;
}

/** Letters read at once, and the text of commands, characters, after which a page ends: a letter may be a megabyte. */
const LETTERS_AT_ONCE = 10;
const PAGE_TEXT_MAX = 1_000_000;

/**
 * Letters shard by shard, in each the newest first: as many as a page has, and fewer where they are long.
 * @returns `hasMore` where letters may lie behind them
 */
export async function pageOfLetters(
  { redis, billing }: Parts,
  { limit, after }: { limit: number; after?: LetterPlace | undefined },
): Promise<{ readonly letters: readonly DeadLetter[]; readonly hasMore: boolean }> {
  const letters: DeadLetter[] = [];
  let text = 0;
  for (let shard = after?.shard ?? 0; shard < billing.config.SHARDS; shard++) {
    let from = shard === after?.shard ? `(${after.id}` : '+';
    for (let isOver = false; !isOver; ) {
      if (letters.length >= limit || text >= PAGE_TEXT_MAX) return { letters, hasMore: true };
      const count = Math.min(LETTERS_AT_ONCE, limit - letters.length);
      const found = await redis.xrevrange(shardKeys.dead(shard), from, '-', 'COUNT', count);
      for (const [id, fields] of found) {
        const letter = toLetter(shard, id, fields);
        text += letter.text.length;
        letters.push(letter);
        from = `(${id}`;
      }
      isOver = found.length < count;
    }
  }
  return { letters, hasMore: false };
}

/** A letter in a list: without its command's text. */
export const toLetterRow = ({ name, accountId, reason, parkedMs, text, envelope }: DeadLetter) => ({
  ...{ id: name, account: accountId, parked_at: new Date(parkedMs).toISOString(), reason },
  ...{ command: envelope?.command.type ?? null, bytes: text.length },
});

function toLetter(shard: number, id: string, fields: readonly string[]): DeadLetter {
  const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
  const text = field('command');
  const parkedMs = Number(field('t'));
  return {
    ...{ name: `${shard}:${id}`, shard, id, accountId: field('account'), reason: field('reason'), parkedMs, text },
    envelope: readable(text),
  };
}

function readable(text: string): CommandEnvelope | undefined {
  try {
    return readEnvelope(text);
  } catch {
    return undefined; // shown as text
  }
}

// `bin/admin dead-letters list`: shows the parked commands, newest first.

/** Of each shard. */
const SHOWN_MAX = 100;

export const listDeadLetters: AdminCommand = {
  name: 'dead-letters list',
  takes: '',
  does: `shows the commands that were parked: the newest ${SHOWN_MAX} of each shard`,
  async run(_args, parts) {
    const letters = await readDeadLetters(parts, SHOWN_MAX);
    const data = letters.map(toLetterRow);
    const lines = data.map(({ id, account, parked_at, reason, command, bytes }) =>
      [id, parked_at, account, command ?? '(unreadable)', `${bytes} bytes`, reason.slice(0, 100)].join('  '),
    );
    return { data: { dead_letters: data }, lines: lines.length === 0 ? ['There are no dead letters.'] : lines };
  },
};

// `bin/admin dead-letters show`: shows one parked command whole.

export const showDeadLetter: AdminCommand = {
  name: 'dead-letters show',
  takes: '<shard>:<id>',
  does: 'shows a parked command whole, with its reason',
  async run([name], parts) {
    const { accountId, reason, parkedMs, text, envelope } = await requireDeadLetter(parts, name);
    const parkedAt = new Date(parkedMs).toISOString();
    return {
      data: { id: name, account: accountId, parked_at: parkedAt, reason, command: envelope ?? text },
      lines: [
        ...columns([
          ['id', name ?? ''],
          ['account', accountId],
          ['parked', parkedAt],
          ['reason', reason],
        ]),
        envelope === undefined ? text : JSON.stringify(envelope, null, 2),
      ],
    };
  },
};
