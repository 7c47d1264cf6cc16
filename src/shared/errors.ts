// The kinds of failure in the shell (docs/glossary.md: error kinds). Each is handled in one place. A rejection by the
// rules is an event, not an error.

/** Bad input, missing rights, limits. Thrown in `src/api` only; its text may be shown to the client. */
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

/**
 * A commit reached Redis after the deadline of a command in it: what was decided is void, the command expires, and the shard
 * goes on from what is committed.
 */
export class LateCommit extends Error {
  override name = 'LateCommit';
  /** Stream ids of the commands that came too late. */
  readonly commandIds: ReadonlySet<string>;

  constructor(message: string, commandIds: ReadonlySet<string>) {
    super(message);
    this.commandIds = commandIds;
  }
}

/** Another process has taken the shard over: this one stops without another write. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Redis has lost something that it had answered. The shard is taken anew, from what MongoDB knows too. */
export class RedisLost extends LeaseLost {
  override name = 'RedisLost';
}

/** MongoDB knows a later owner of the shard than Redis does: Redis has lost its newest take. The shard is taken beyond it. */
export class LaterEpoch extends RedisLost {
  override name = 'LaterEpoch';
}
