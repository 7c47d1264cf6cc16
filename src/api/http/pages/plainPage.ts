// The frame of plain pages: HTML without scripts, for payers who come from a payment provider and for who opens the root.
// Every text in a page is this service's own; a request's text never gets into one.
import type { Context } from 'koa';
import { pageHeaders } from './pageHeaders.ts';

const HEADERS = {
  ...pageHeaders({ style: "'unsafe-inline'", form: "'self'" }),
  'Cache-Control': 'no-store',
};

/** @param page.again seconds after which the page looks again by itself; absent = it does not */
export function answerPage(ctx: Context, page: { title: string; body: string; again?: number }): void {
  const { title, body, again } = page;
  const refresh = again === undefined ? '' : `\n<meta http-equiv="refresh" content="${again}">`;
  ctx.set(HEADERS);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">${refresh}
<title>${title}</title>
<style>body { font: 1.1rem system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem }
pre { font-size: .9rem; overflow-x: auto; background: #8882; padding: .5rem }</style>
<h1>${title}</h1>
${body}
</html>
`;
}
