// Writes every answer: JSON text with its type and character set, also for `null`, which Koa itself would turn into
// an empty 204.
import type { Context } from 'koa';
import { JsonText } from '../domain/jsonText.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export function answerJson(ctx: Pick<Context, 'res' | 'body' | 'status'>, answer: unknown, status?: number): void {
  ctx.res.setHeader('Content-Type', JSON_TYPE);
  ctx.body = answer instanceof JsonText ? answer.text : JSON.stringify(answer ?? null);
  if (status !== undefined) ctx.status = status;
}
