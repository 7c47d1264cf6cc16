// Logs are pino JSON on standard output. Everything that could carry a secret is removed here, once, for every role.
import { type Logger, pino } from 'pino';

export type { Logger };

const SECRET_PATHS = ['apiKey', 'api_key', 'password', 'token', 'access_token', 'authorization', 'headers', 'jwtSecret', 'body'];

/** Errors in logs: an error reply of Redis carries the whole command, whose keys and values may hold digests or answers. */
export const serializers = {
  err(error: Error): unknown {
    const { command, ...rest } = pino.stdSerializers.err(error) as ReturnType<typeof pino.stdSerializers.err> & {
      command?: unknown;
    };
    const name = (command as { readonly name?: unknown } | undefined)?.name;
    return typeof name === 'string' ? { ...rest, command: name } : rest;
  },
};

/** @param options `level` as pino names it; `role` is written into each line */
export function createLogger(options: { level: string; role: string }): Logger {
  return pino({
    level: options.level,
    base: { role: options.role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers,
    redact: { paths: [...SECRET_PATHS, ...SECRET_PATHS.map((path) => `*.${path}`)], censor: '[redacted]' },
  });
}
