// Serves the published contracts, of HTTP and of the WebSocket, and a page that shows the first one. The page's code
// is a library in this package and loads nothing from elsewhere. The library would install a package that reports each
// installation to a third party; package.json puts another in its place (`overrides`). All is answered from memory.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Type } from '@sinclair/typebox';
import type { AuthRouter } from '../auth/authParts.ts';
import { words } from '../contract/answerValues.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { nothingHere } from '../http/errorAnswer.ts';
import { pageHeaders } from '../http/pages/pageHeaders.ts';
import { StaticFile } from '../http/pages/staticFile.ts';

const DOCUMENT_PATH = '/v1/openapi.json';
const STREAMS_PATH = '/v1/asyncapi.json';

const START = `window.ui = SwaggerUIBundle({
  url: '${DOCUMENT_PATH}', dom_id: '#contract', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0,
  validatorUrl: null, queryConfigEnabled: false, persistAuthorization: false, displayRequestDuration: true,
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Paper perpetuals exchange: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="contract"></div>
<noscript>This page needs JavaScript. The contract itself is at <a href="${DOCUMENT_PATH}">${DOCUMENT_PATH}</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

/** The page runs code of this server only and connects to this server only. The library sets styles from its code. */
const PAGE_HEADERS = pageHeaders({
  script: "'self'",
  style: "'self' 'unsafe-inline'",
  img: "'self' data:",
  connect: "'self'",
});

const SCRIPT = 'text/javascript; charset=utf-8';

const require = createRequire(import.meta.url);
/** How long a browser may keep them, seconds: they change with a release. */
const FILES_KEPT_SECONDS = 3600;
const fileOf = (type: string, read: () => Promise<Buffer> | string): StaticFile =>
  new StaticFile({ type, read, maxAgeSeconds: FILES_KEPT_SECONDS });
const fromLibrary = (file: string) => (): Promise<Buffer> => readFile(file);

const FILES: ReadonlyMap<string, StaticFile> = new Map([
  ['start.js', fileOf(SCRIPT, () => START)],
  ['swagger-ui-bundle.js', fileOf(SCRIPT, fromLibrary(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')))],
  ['swagger-ui.css', fileOf('text/css; charset=utf-8', fromLibrary(require.resolve('swagger-ui-dist/swagger-ui.css')))],
]);
const page = new StaticFile({ type: 'text/html; charset=utf-8', read: () => PAGE, headers: PAGE_HEADERS });

const OPEN = { method: 'get', tag: 'Documentation', credential: 'none', isKept: true } as const;

const endpoints = {
  document: endpoint({
    ...OPEN,
    id: 'openApi',
    path: DOCUMENT_PATH,
    summary: 'This contract.',
    answer: {
      about: 'OpenAPI 3.1.',
      schema: Type.Object({ openapi: Type.Literal('3.1.0'), info: Type.Object({ version: Type.String() }) }),
    },
  }),
  streams: endpoint({
    ...OPEN,
    id: 'asyncApi',
    path: STREAMS_PATH,
    summary: 'The contract of the WebSocket.',
    answer: {
      about: 'AsyncAPI 3.0.',
      schema: Type.Object({ asyncapi: Type.Literal('3.0.0'), info: Type.Object({ version: Type.String() }) }),
    },
  }),
  page: endpoint({
    ...OPEN,
    id: 'docs',
    path: '/docs',
    summary: 'This contract as a page.',
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  }),
  styles: endpoint({
    ...OPEN,
    id: 'docsStyles',
    path: '/docs/swagger-ui.css',
    summary: 'How the page looks.',
    answer: { about: 'A style sheet.', schema: Type.String(), contentType: 'text/css' },
  }),
  script: endpoint({
    ...OPEN,
    id: 'docsScript',
    path: '/docs/:script',
    summary: 'What the page runs.',
    params: Type.Object({ script: words('start.js', 'swagger-ui-bundle.js') }),
    answer: { about: 'A script.', schema: Type.String(), contentType: 'text/javascript' },
    errors: { 404: ['not_found'] },
  }),
};

export const pageEndpoints: readonly Endpoint[] = Object.values(endpoints);

/** Each makes a contract; called once. */
export interface Contracts {
  readonly http: () => object;
  readonly streams: () => object;
}

export function mountContract(router: AuthRouter, { http, streams }: Contracts): void {
  serveDocument(router, endpoints.document.path, http);
  serveDocument(router, endpoints.streams.path, streams);
  router.get(endpoints.page.path, (ctx) => page.answer(ctx));
  for (const { path } of [endpoints.styles, endpoints.script]) {
    router.get(path, async (ctx) => {
      const file = FILES.get(ctx.path.slice('/docs/'.length));
      if (file === undefined) throw nothingHere();
      await file.answer(ctx);
    });
  }
}

function serveDocument(router: AuthRouter, path: string, make: () => object): void {
  const document = new StaticFile({ type: 'application/json; charset=utf-8', read: () => JSON.stringify(make()) });
  router.get(path, (ctx) => document.answer(ctx));
}
