// The pages that the server makes itself: their headers, their frame, and text as HTML.
import type { Context } from 'koa';

/** Sources by kind, as a Content-Security-Policy writes them; what is absent is not loaded. */
interface PageSources {
  readonly script?: string;
  readonly style?: string;
  readonly img?: string;
  readonly font?: string;
  readonly connect?: string;
  /** Where relative addresses may begin. */
  readonly base?: string;
  /** Where forms may be sent. */
  readonly form?: string;
}

/**
 * What every page of this server says to the browser: it loads only what is named, is shown in no frame, and tells no other
 * server where it was.
 * @param options.isStrict forbids to make scripts and markup out of text, which some libraries do (Trusted Types)
 */
export function pageHeaders(sources: PageSources, { isStrict = false } = {}): Readonly<Record<string, string>> {
  const { base = "'none'", form = "'none'", ...loaded } = sources;
  const policy = [
    "default-src 'none'",
    ...Object.entries(loaded).map(([kind, source]) => `${kind}-src ${source}`),
    `base-uri ${base}`,
    `form-action ${form}`,
    "frame-ancestors 'none'",
    ...(isStrict ? ["require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

const HEADERS = {
  ...pageHeaders({ style: "'unsafe-inline'", form: "'self'" }),
  'Cache-Control': 'no-store',
};

/**
 * The frame of plain pages: HTML without scripts, for payers who come from a payment provider and for who opens the root.
 * Every text in a page is this service's own; a request's text never gets into one.
 * @param page.again seconds after which the page looks again by itself; absent = it does not
 */
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

// Text into HTML. What a page shows of the contract is written with backticks and asterisks, as OpenAPI has it.

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that cannot bring markup into a page, in attributes neither. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one] as string);

/** A sentence of the contract: `code`, **bold** and [links](/path) of it become markup, all else is text. */
export const sentence = (text: string): string =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/\[([^\]]+)\]\((\/(?!\/)[^)\s]*)\)/g, '<a href="$2">$1</a>');
