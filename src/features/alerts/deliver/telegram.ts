// The bot in Telegram: its calls, and the chats that users bind to endpoints.
// Calls of Telegram's Bot API, within bounds of time and bytes. The token stands in the address of each call, so nothing of an error is
// passed on but words of our own. When Telegram asks for a pause, the process makes no call before it is over.
import { createHash } from 'node:crypto';
import type { Logger } from '../../../shared/logger.ts';
import { collections, durable, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { boundedText } from '../../../shared/venue/requestInfo.ts';
import { AlertDeliveries, newTest } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument, TelegramChat, ToTelegram } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';

/** Longest that a call takes, ms. */
const CALL_MS_MAX = 10_000;
/** Of an answer: a hundred updates of the longest messages. */
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
/** Longest pause that is honoured, s: beyond it a try at the end of this one tells. */
const RETRY_AFTER_MAX_S = 86_400;
const DEFAULT_RETRY_AFTER_S = 30;

export interface TelegramAnswer {
  /** Of HTTP; undefined: there was no answer. */
  readonly status: number | undefined;
  /** What was asked for, of an answer that says `ok`. */
  readonly result?: unknown;
}

interface BotParts {
  readonly token: string;
  /** Base address of the Bot API. */
  readonly base: string;
  readonly realNow: () => number;
  /** Longest that a call takes, ms. */
  readonly withinMs?: number;
}

export class TelegramBot {
  readonly #parts: BotParts;
  #quietUntilMs = 0;

  constructor(parts: BotParts) {
    this.#parts = parts;
  }

  /** Telegram wants no call before this, ms. */
  get quietUntilMs(): number {
    return this.#quietUntilMs;
  }

  /** Never throws: that there was no answer is an answer. */
  async call(method: 'getMe' | 'getUpdates' | 'sendMessage', params: object = {}): Promise<TelegramAnswer> {
    const { token, base, withinMs = CALL_MS_MAX } = this.#parts;
    try {
      const response = await fetch(`${base.replace(/\/+$/, '')}/bot${token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
        redirect: 'manual',
        signal: AbortSignal.timeout(withinMs),
      });
      const body = readObject(await boundedText(response, ANSWER_BYTES_MAX));
      if (response.status === 429) this.#rest(body);
      return { status: response.status, ...(body['ok'] === true && { result: body['result'] }) };
    } catch {
      // What is thrown may have the address of the call in it, and so the token: it is not even kept as a cause.
      return { status: undefined };
    }
  }

  #rest({ parameters }: Readonly<Record<string, unknown>>): void {
    const given = Number((parameters as { retry_after?: unknown } | undefined)?.retry_after);
    const seconds = Number.isFinite(given) && given > 0 ? Math.min(given, RETRY_AFTER_MAX_S) : DEFAULT_RETRY_AFTER_S;
    this.#quietUntilMs = Math.max(this.#quietUntilMs, this.#parts.realNow() + seconds * 1000);
  }
}

/** What is no JSON object has no fields. */
function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

// Finds the chats of endpoints that wait for theirs: a user proves that a chat is theirs by sending the code of the endpoint to the bot,
// as `/start CODE`. Only private chats count. Telegram keeps messages for a day, and gives them until they are confirmed, so a process that
// dies in between reads them again, and a code binds once. The same write notes that
// the chat waits for its greeting (`greetChat`).

/** Messages of one answer, and answers of one look: what strangers send to the bot must not keep it busy. */
const UPDATES_PER_CALL = 100;
const CALLS_PER_LOOK = 10;
/** As src/features/alerts/endpoints/alertTarget.ts makes them: `/start` and 128 bits. */
const START = /^\/start(?:@\w{1,64})? ([\w-]{22})$/;
const NAME_CHARS_MAX = 64;

interface ChatParts {
  readonly mongo: MongoConnection;
  readonly bot: TelegramBot;
  readonly log: Logger;
  readonly realNow: () => number;
}

/** How often Telegram is asked who the bot is while it does not say so, ms. */
const LEARN_AGAIN_MS = 60_000;

/** A look of a process: it learns once who the bot is. Without a token it only removes endpoints whose hour is over. */
export function lookAtChats({
  bot,
  ...parts
}: Omit<ChatParts, 'bot'> & { readonly bot: TelegramBot | undefined }): () => Promise<void> {
  let learnAtMs = 0;
  return async () => {
    await new AlertEndpoints(parts.mongo).removeUnproven(new Date(parts.realNow()));
    if (bot === undefined) return;
    if (learnAtMs <= parts.realNow()) {
      learnAtMs = Number.POSITIVE_INFINITY;
      if (!(await learnBotName({ ...parts, bot }))) learnAtMs = parts.realNow() + LEARN_AGAIN_MS;
    }
    await bindChats({ ...parts, bot });
  };
}

/** Learns how the bot is called, which users are told. @returns whether it is known now */
async function learnBotName({ mongo, bot, log }: ChatParts): Promise<boolean> {
  const { status, result } = await bot.call('getMe');
  const username = (result as { username?: unknown } | undefined)?.username;
  if (typeof username === 'string') {
    await noteBotName(mongo, username);
    return true;
  }
  log.warn({ status: status ?? 'none' }, 'Telegram does not say who the bot is: is TELEGRAM_TOKEN right?');
  return false;
}

/** One look at what was sent to the bot; none while no endpoint waits. */
async function bindChats(parts: ChatParts): Promise<void> {
  const { mongo, bot, log, realNow } = parts;
  const waits = await new AlertEndpoints(mongo).waitsForChats(new Date(realNow()));
  if (!waits || bot.quietUntilMs > realNow()) return;
  for (let call = 0, offset = 0; call < CALLS_PER_LOOK; call++) {
    const params = { limit: UPDATES_PER_CALL, timeout: 0, allowed_updates: ['message'], ...(offset > 0 && { offset }) };
    const { status, result } = await bot.call('getUpdates', params);
    if (!Array.isArray(result)) {
      log.warn({ status: status ?? 'none' }, 'Telegram does not tell what was sent to the bot: codes of endpoints wait');
      return;
    }
    if (result.length === 0) return;
    for (const update of result as readonly Update[]) await bind(parts, update);
    offset = Math.max(...(result as readonly Update[]).map(({ update_id: id }) => id)) + 1;
  }
}

interface Update {
  readonly update_id: number;
  readonly message?: {
    readonly text?: string;
    readonly chat?: { readonly id?: number; readonly type?: string; readonly username?: string; readonly first_name?: string };
  };
}

async function bind({ mongo, realNow }: ChatParts, { message }: Update): Promise<void> {
  const [, code] = START.exec(message?.text ?? '') ?? [];
  const { id, type, username, first_name: firstName = '' } = message?.chat ?? {};
  if (code === undefined || type !== 'private' || !Number.isSafeInteger(id)) return;
  const name = username === undefined ? firstName : `@${username}`;
  const chat: TelegramChat = { id: String(id), name: [...name].slice(0, NAME_CHARS_MAX).join('') };
  const digest = createHash('sha256').update(code).digest('hex');
  await new AlertEndpoints(mongo).bindChat(digest, chat, new Date(realNow()));
}

// Tells a chat that it is bound: a test, which is made in the first turn of the endpoint. That it is to be made was noted with the chat,
// and its id is made from the time of that: whatever dies in between, the chat is greeted, and by one delivery.

export async function greetChat(
  mongo: MongoConnection,
  { _id, userId, toGreet }: AlertEndpointDocument & ToTelegram,
): Promise<void> {
  if (toGreet === undefined) return;
  await new AlertDeliveries(mongo).add([newTest({ _id, userId }, toGreet.getTime(), 'bound')], toGreet);
  await new AlertEndpoints(mongo).greeted(_id);
}

// How the bot of the deployment is called: the jobs, which have its token, ask Telegram and note it, and the API tells users.

const NAME_ID = 'telegramBot';

interface NameDocument {
  readonly _id: string;
  readonly value: string;
  readonly schema: 1;
}

async function noteBotName({ db }: MongoConnection, value: string): Promise<void> {
  const settings = db.collection<NameDocument>(collections.settings, durable);
  await settings.updateOne({ _id: NAME_ID }, { $set: { value, schema: 1 } }, { upsert: true });
}

/** @returns undefined while no process has learned it */
export async function readBotName({ db }: MongoConnection): Promise<string | undefined> {
  return (await db.collection<NameDocument>(collections.settings).findOne({ _id: NAME_ID }))?.value;
}
