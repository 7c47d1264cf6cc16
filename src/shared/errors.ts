// The kinds of failure the shell knows (style.md section 7). Each is handled in one place; rejections by the rules are
// events, not errors.

/** Bad input, missing rights, limits. Thrown in `src/api` only; its text is safe to show. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  /** Extra response headers, e.g. `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Redis, MongoDB or the upstream is unwell; the loop that owns the work tries again with backoff. */
export class RetryableError extends Error {
  override name = 'RetryableError';
}

/** This item can never work: a consumer parks it, a job fails without a retry. */
export class TerminalError extends Error {
  override name = 'TerminalError';
}

/** Another process has taken the shard over: this one stops without another write. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}
