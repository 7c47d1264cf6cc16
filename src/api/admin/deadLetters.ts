// GET /v1/admin/dead-letters, GET …/{id}, POST …/requeue, POST …/drop: commands that were parked, since a rule threw, two owners died of them,
// or they could not be read.
import { type TObject, Type } from '@sinclair/typebox';
import { dropLetter, type LetterOutcome, requeueLetter } from '../../operators/acts/changeLetter.ts';
import {
  type DeadLetter,
  type LetterPlace,
  pageOfLetters,
  requireDeadLetter,
  toLetterRow,
} from '../../operators/acts/deadLetters.ts';
import { Unknown, UsageError } from '../../operators/acts/operatorParts.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { Count, exactly, IsoTime, orNull } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { type AdminEndpoint, type AdminParts, act, look, MAY_BE_UNKNOWN } from '../../operators/endpoints.ts';
import { cursorOf, PAGE_ERRORS, pageOf, pageParameters, readPlace } from '../../operators/acts/page.ts';

/** `<shard>:<id in the shard's stream>`; a cursor and a letter's name have the same form. */
const NAME = /^\d{1,2}:\d{1,16}-\d{1,16}$/;
/** Characters of a letter's command that an answer shows. */
const COMMAND_MAX = 20_000;

const LetterName = Type.String({ description: '`<shard>:<id>`.', examples: ['3:1795262400000-0'] });
const row = {
  id: LetterName,
  account: Type.String(),
  parked_at: IsoTime,
  reason: Type.String(),
  command: described(orNull(Type.String()), 'Its type; null when this build cannot read it.'),
  bytes: Count,
};

const listLetters = look({
  id: 'listDeadLetters',
  path: '/v1/admin/dead-letters',
  summary:
    'Parked commands, shard by shard, in each the newest first; a page of long ones is shorter, and the last may be empty.',
  query: Type.Object(pageParameters),
  answer: pageOf('DeadLetterPage', named('DeadLetter', exactly(row))),
  errors: PAGE_ERRORS,
  audited: () => 'dead letters',
  read: async (ctx, { operators }) => {
    const { limit, after } = readPlace(ctx, NAME);
    const { letters, hasMore } = await pageOfLetters(operators, { limit, after: placeOf(after) });
    const next = cursorOf(hasMore ? letters.at(-1) : undefined, ({ name }) => name);
    return { items: letters.map(toLetterRow), next_cursor: next };
  },
});

function placeOf(text: string | undefined): LetterPlace | undefined {
  const [shard, id] = text?.split(':') ?? [];
  return id === undefined ? undefined : { shard: Number(shard), id };
}

const idOf = (ctx: RouteContext): string => ctx.params['id'] ?? '';
const params: TObject = Type.Object({ id: LetterName });

const showLetter = look({
  id: 'showDeadLetter',
  path: '/v1/admin/dead-letters/:id',
  summary: 'A parked command whole.',
  params,
  answer: named(
    'DeadLetterDetails',
    exactly({ ...row, text: described(Type.String(), 'The command as it was sent, shortened.') }),
  ),
  errors: MAY_BE_UNKNOWN,
  audited: (ctx) => `dead letter ${idOf(ctx)}`,
  read: async (ctx, { operators }) => {
    const letter = await requireLetter(operators, ctx);
    return { ...toLetterRow(letter), text: letter.text.slice(0, COMMAND_MAX) };
  },
});

const Outcome = named(
  'DeadLetterOutcome',
  exactly({ id: LetterName, done: Type.Boolean(), message: described(Type.String(), 'What became of it, in words.') }),
);

const letterAct = (
  verb: 'requeue' | 'drop',
  id: string,
  summary: string,
  change: (parts: AdminParts['operators'], letter: DeadLetter) => Promise<LetterOutcome>,
): AdminEndpoint =>
  act({
    id,
    path: `/v1/admin/dead-letters/:id/${verb}`,
    summary,
    params,
    answer: Outcome,
    errors: MAY_BE_UNKNOWN,
    audited: (ctx) => `${verb} ${idOf(ctx)}`,
    act: async ({ operators }, { ctx }) => {
      const { isDone, lines } = await change(operators, await requireLetter(operators, ctx));
      return { id: idOf(ctx), done: isDone, message: lines.join(' ') };
    },
  });

/** @throws {Unknown} also for a name that is none */
async function requireLetter(operators: AdminParts['operators'], ctx: RouteContext): Promise<DeadLetter> {
  try {
    return await requireDeadLetter(operators, idOf(ctx));
  } catch (error) {
    if (error instanceof UsageError) throw new Unknown('There is no such dead letter.');
    throw error;
  }
}

export const letterEndpoints: readonly AdminEndpoint[] = [
  listLetters,
  showLetter,
  letterAct('requeue', 'requeueDeadLetter', 'Has a parked command done after all, once.', requeueLetter),
  letterAct('drop', 'dropDeadLetter', 'Removes a parked command; nothing of it was done.', dropLetter),
];
