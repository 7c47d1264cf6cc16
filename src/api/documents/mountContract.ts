// Serves the published contracts, of HTTP and of the WebSocket, and a page that shows the first one. The page's code
// is a library in this package and loads nothing from elsewhere. Later versions of that library install a package
// that reports each installation to a third party; this version has no dependencies.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { AuthRouter } from '../auth/authParts.ts';
import { words } from '../contract/answerValues.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';

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
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SCRIPT = 'text/javascript; charset=utf-8';

const require = createRequire(import.meta.url);
const fromLibrary = (file: string) => (): Promise<string> => readFile(file, 'utf8');

const FILES: ReadonlyMap<string, { type: string; read: () => Promise<string> }> = new Map([
  ['start.js', { type: SCRIPT, read: async () => START }],
  ['swagger-ui-bundle.js', { type: SCRIPT, read: fromLibrary(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')) }],
  ['swagger-ui.css', { type: 'text/css; charset=utf-8', read: fromLibrary(require.resolve('swagger-ui-dist/swagger-ui.css')) }],
]);
/** How long a browser may keep them, seconds: they change with a release. */
const FILES_KEPT_SECONDS = 3600;

const OPEN = { method: 'get', tag: 'Documentation', credential: 'none' } as const;

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
  router.get(endpoints.page.path, (ctx) => {
    ctx.set({ 'Content-Security-Policy': CONTENT_POLICY, 'Referrer-Policy': 'no-referrer' });
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = PAGE;
  });
  for (const { path } of [endpoints.styles, endpoints.script]) {
    router.get(path, async (ctx) => {
      const file = FILES.get(ctx.path.slice('/docs/'.length));
      if (file === undefined) throw new RequestError(404, 'not_found', 'There is nothing at this path.');
      ctx.set({ 'Content-Type': file.type, 'Cache-Control': `public, max-age=${FILES_KEPT_SECONDS}` });
      ctx.body = await file.read();
    });
  }
}

function serveDocument(router: AuthRouter, path: string, make: () => object): void {
  let text: string | undefined;
  router.get(path, (ctx) => {
    text ??= JSON.stringify(make());
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.body = text;
  });
}
