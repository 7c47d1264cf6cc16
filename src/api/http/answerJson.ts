// Writes every answer: JSON text with its type and character set, also for `null`, which Koa itself would turn into
// an empty 204.
import type { Context } from 'koa';
import type { RouteContext } from '../access/requestContext.ts';
import { toJson } from '../domain/jsonText.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export function answerJson(ctx: Pick<Context, 'res' | 'body' | 'status'>, answer: unknown, status?: number): void {
  ctx.res.setHeader('Content-Type', JSON_TYPE);
  ctx.body = toJson(answer);
  if (status !== undefined) ctx.status = status;
}

/**
 * Writes JSON text with status 200 in one piece, past what Koa does for answers of other kinds: a header that is set by
 * itself costs as much as ten that are written together. For the endpoints that bots call all day.
 * @param headers names and values in turn, beside those that are set already; what every answer has is added to them
 */
export function answerWhole(ctx: RouteContext, text: string, headers: string[]): void {
  ctx.respond = false;
  // Koa begins with a 404, and logs and metrics tell the status whether or not the client is still there.
  const { res } = ctx;
  res.statusCode = 200;
  const { socket } = res;
  if (socket?.writable === false) return;
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(text)));
  res.writeHead(200, headers);
  // What `end` is given goes as two pieces, one of them empty.
  socket?.cork();
  res.write(text);
  socket?.uncork();
  res.end();
}
