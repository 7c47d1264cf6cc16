// Calls of Telegram's Bot API, within bounds of time and bytes. The token stands in the address of each call, so nothing of an error is
// passed on but words of our own. When Telegram asks for a pause, the process makes no call before it is over.

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

export interface BotParts {
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
      const body = readObject(await readBounded(response));
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

async function readBounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
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
