// The errors that this package throws, beside the errors of fetch for connections that fail.

/** The service refused a request, or could not answer it. */
export class ServiceError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** The error's name for programs; `unreadable` when something before the service answered. */
  readonly code: string;
  /** Names the request in the service's logs; say it when you ask for help. */
  readonly requestId: string | undefined;
  /** Milliseconds after which a repetition makes sense, where the service says so. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: { status: number; code: string; message: string; requestId?: string; retryAfterMs?: number }) {
    super(fields.message);
    this.name = 'ServiceError';
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }

  /** Reads the body of an error; a proxy's page is one without a code. */
  static async of(response: Response): Promise<ServiceError> {
    const text = await response.text();
    const requestId = response.headers.get('x-request-id');
    const wait = retryAfterMs(response);
    return new ServiceError({
      status: response.status,
      ...bodyOf(text),
      ...(requestId === null ? {} : { requestId }),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    });
  }
}

/** The account has no fill or order with this id. */
export class UnknownIdError extends Error {
  override readonly name = 'UnknownIdError';
}

/** An export ended before its end, and says why; the file has what came, and the same call goes on behind it. */
export class IncompleteExportError extends Error {
  override readonly name = 'IncompleteExportError';
  /** Why, for programs; `seq_forgotten`: rows that the file goes on from are no longer kept. */
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Milliseconds that the service asks for; undefined where it does not, or gives a date. */
export function retryAfterMs(response: Response): number | undefined {
  const text = response.headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) * 1000 : undefined;
}

function bodyOf(text: string): { code: string; message: string } {
  const unreadable = { code: 'unreadable', message: text.slice(0, 200) };
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('code' in body) || !('detail' in body)) return unreadable;
    return { code: String(body.code), message: String(body.detail) };
  } catch {
    return unreadable;
  }
}
