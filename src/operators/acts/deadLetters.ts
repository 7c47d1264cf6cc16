// The dead letters of all shards: commands that were parked because a rule threw, two owners died of them, or they could
// not be read. A letter is named `<shard>:<id in the shard's stream>`.

import { type TObject, Type } from '@sinclair/typebox';
import { type CommandEnvelope, readEnvelope } from '../../actors/core/messages/envelope.ts';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { Count, exactly, IsoTime, orNull } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { operatorLook } from './operatorAct.ts';
import { type AdminCommand, columns, type OperatorParts, Unknown, UsageError } from './operatorParts.ts';
import { cursorOf, MAY_BE_UNKNOWN, PAGE_ERRORS, pageOf, pageParameters, readPlace } from './page.ts';
import { shardNumbers } from './shardReads.ts';

export interface ParkedCommand {
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
async function readDeadLetters({ redis, billing }: Parts, count: number): Promise<ParkedCommand[]> {
  const found = await Promise.all(
    shardNumbers(billing).map(async (shard) => {
      const letters = await redis.xrevrange(shardKeys.dead(shard), '+', '-', 'COUNT', count);
      return letters.map(([id, fields]) => toLetter(shard, id, fields));
    }),
  );
  return found.flat().sort((a, b) => b.parkedMs - a.parkedMs);
}

/** @throws {Unknown} when there is no such letter, {UsageError} when the words name none */
export async function requireLetter({ redis, billing }: Parts, { name, isPath }: NamedLetter): Promise<ParkedCommand> {
  const [, shardText, id] = /^(\d{1,2}):(\d+-\d+)$/.exec(name ?? '') ?? [];
  const shard = Number(shardText);
  if (id === undefined || shard >= billing.config.SHARDS) {
    if (isPath) throw new Unknown('There is no such dead letter.');
    throw new UsageError('Which dead letter? <shard>:<id>, as dead-letters list shows it.');
  }
  const [found] = await redis.xrange(shardKeys.dead(shard), id, id);
  if (found === undefined) throw new Unknown(`There is no dead letter ${name} (any more).`);
  return toLetter(shard, ...found);
}

/** Where a page of letters begins: behind this one. */
interface LetterPlace {
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
async function pageOfLetters(
  { redis, billing }: Parts,
  { limit, after }: { limit: number; after?: LetterPlace | undefined },
): Promise<{ readonly letters: readonly ParkedCommand[]; readonly hasMore: boolean }> {
  const letters: ParkedCommand[] = [];
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
const toLetterRow = ({ name, accountId, reason, parkedMs, text, envelope }: ParkedCommand) => ({
  ...{ id: name, account: accountId, parked_at: new Date(parkedMs).toISOString(), reason },
  ...{ command: envelope?.command.type ?? null, bytes: text.length },
});

function toLetter(shard: number, id: string, fields: readonly string[]): ParkedCommand {
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

/** `<shard>:<id in the shard's stream>`; a cursor and a letter's name have the same form. */
const NAME = /^\d{1,2}:\d{1,16}-\d{1,16}$/;
/** Characters of a letter's command that an answer shows. */
const COMMAND_MAX = 20_000;

export const LetterName = Type.String({ description: '`<shard>:<id>`.', examples: ['3:1795262400000-0'] });
const row = {
  id: LetterName,
  account: Type.String(),
  parked_at: IsoTime,
  reason: Type.String(),
  command: described(orNull(Type.String()), 'Its type; null when this build cannot read it.'),
  bytes: Count,
};

/** Of each shard. */
const SHOWN_MAX = 100;

/** For the terminal alone: the newest of all shards first. */
export const listNewestLetters: AdminCommand = {
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

/** For the API alone: shard by shard. */
export const listDeadLetters = operatorLook<RouteContext, unknown>({
  look: async (parts, ctx) => {
    const { limit, after } = readPlace(ctx, NAME);
    const { letters, hasMore } = await pageOfLetters(parts, { limit, after: placeOf(after) });
    const next = cursorOf(hasMore ? letters.at(-1) : undefined, ({ name }) => name);
    return { items: letters.map(toLetterRow), next_cursor: next };
  },
  endpoint: {
    id: 'listDeadLetters',
    path: '/v1/admin/dead-letters',
    summary:
      'Parked commands, shard by shard, in each the newest first; a page of long ones is shorter, and the last may be empty.',
    query: Type.Object(pageParameters),
    answer: pageOf('DeadLetterPage', named('DeadLetter', exactly(row))),
    errors: PAGE_ERRORS,
    ask: (ctx) => ctx,
    audited: () => 'dead letters',
  },
});

function placeOf(text: string | undefined): LetterPlace | undefined {
  const [shard, id] = text?.split(':') ?? [];
  return id === undefined ? undefined : { shard: Number(shard), id };
}

/** A letter in the path of an endpoint. */
export const letterParams: TObject = Type.Object({ id: LetterName });

/** How an operator names a letter. In a path a name that is none is one that is not there. */
export interface NamedLetter {
  readonly name: string | undefined;
  readonly isPath?: true;
}

export const letterOfPath = (ctx: RouteContext): NamedLetter => ({ name: ctx.params['id'] ?? '', isPath: true });

export const showDeadLetter = operatorLook<NamedLetter, ParkedCommand>({
  look: requireLetter,
  command: {
    name: 'dead-letters show',
    takes: '<shard>:<id>',
    does: 'shows a parked command whole, with its reason',
    ask: ([name]) => ({ name }),
    data: ({ name }, letter) => letter && { id: name, ...wholeOf(letter) },
    lines: ({ accountId, reason, parkedMs, text, envelope }, { name }) => [
      ...columns([
        ['id', name ?? ''],
        ['account', accountId],
        ['parked', new Date(parkedMs).toISOString()],
        ['reason', reason],
      ]),
      envelope === undefined ? text : JSON.stringify(envelope, null, 2),
    ],
  },
  endpoint: {
    id: 'showDeadLetter',
    path: '/v1/admin/dead-letters/:id',
    summary: 'A parked command whole.',
    params: letterParams,
    answer: named(
      'DeadLetterDetails',
      exactly({ ...row, text: described(Type.String(), 'The command as it was sent, shortened.') }),
    ),
    errors: MAY_BE_UNKNOWN,
    ask: letterOfPath,
    audited: ({ name }) => `dead letter ${name}`,
    show: (letter) => ({ ...toLetterRow(letter), text: letter.text.slice(0, COMMAND_MAX) }),
  },
});

const wholeOf = ({ accountId, reason, parkedMs, text, envelope }: ParkedCommand) => ({
  ...{ account: accountId, parked_at: new Date(parkedMs).toISOString(), reason, command: envelope ?? text },
});
