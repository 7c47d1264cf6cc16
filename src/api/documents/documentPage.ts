// The frame of the documentation's pages: their way to each other, and their looks. Pages are made once and are the same for
// all who ask.
import { pageHeaders } from '../http/pages.ts';
import { StaticFile } from '../http/staticFile.ts';

export const DOCUMENT_PATH = '/v1/openapi.json';
export const STREAMS_PATH = '/v1/asyncapi.json';
export const LLMS_PATH = '/llms.txt';
export const DOCS_PATH = '/docs';
export const STREAM_PAGE_PATH = '/docs/websocket';

/** Code of this server only, and connections to this server only. The library sets styles from its code. */
const HEADERS = pageHeaders({
  script: "'self'",
  style: "'self' 'unsafe-inline'",
  img: "'self' data:",
  connect: "'self'",
});

const STYLE = `.text { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 0 1.25rem }
.text pre { font-size: .85rem; line-height: 1.4; overflow-x: auto; background: #8882; padding: .6rem; border-radius: .3rem }
.text table { border-collapse: collapse } .text td, .text th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0 }
.text nav a { margin-right: 1rem } .text summary { cursor: pointer }`;

const LINKS: readonly (readonly [path: string, name: string])[] = [
  [DOCS_PATH, 'First steps and HTTP'],
  [STREAM_PAGE_PATH, 'WebSocket'],
  [LLMS_PATH, 'llms.txt'],
  [DOCUMENT_PATH, 'OpenAPI'],
  [STREAMS_PATH, 'AsyncAPI'],
  ['/health', 'Health'],
];

export interface DocumentPage {
  readonly title: string;
  /** Below the links, as prose. */
  readonly text: string;
  /** Further elements of the head. */
  readonly head?: string;
  /** After the prose, with its own looks. */
  readonly end?: string;
}

/** @param make called at the first request */
export function documentPage(make: () => DocumentPage): StaticFile {
  return new StaticFile({ type: 'text/html; charset=utf-8', headers: HEADERS, read: () => toHtml(make()) });
}

function toHtml({ title, text, head = '', end = '' }: DocumentPage): string {
  const links = LINKS.map(([path, name]) => `<a href="${path}">${name}</a>`).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}<style>${STYLE}</style>
<div class="text">
<nav><p>${links}</p></nav>
<h1>${title}</h1>
${text}
</div>
${end}</html>
`;
}
