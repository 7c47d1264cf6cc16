// Serves the published contracts, of HTTP and of the WebSocket, and the documentation made of them: pages, and a text for
// language models. The code on the first page is a library in this package and loads nothing from elsewhere. The library would
// install a package that reports each installation to a third party; package.json puts another in its place (`overrides`). All
// is answered from memory.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Type } from '@sinclair/typebox';
import type { Config } from '../../shared/config.ts';
import type { AuthRouter } from '../auth/authParts.ts';
import { words } from '../contract/answerValues.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { nothingHere } from '../http/errorAnswer.ts';
import { StaticFile } from '../http/pages/staticFile.ts';
import { asyncApi } from './asyncApi.ts';
import { openApi } from './openApi.ts';
import { DOCS_PATH, DOCUMENT_PATH, documentPage, LLMS_PATH, STREAM_PAGE_PATH, STREAMS_PATH } from './pages/documentPage.ts';
import { guidePage } from './pages/guidePage.ts';
import { llmsText } from './pages/llmsText.ts';
import { streamPage } from './pages/streamPage.ts';

/** The page asks the server that it came from, whatever address of the deployment the contract begins with. */
const START = `const toThisServer = (request) => {
  const { pathname, search } = new URL(request.url, location.href);
  return Object.assign(request, { url: location.origin + pathname + search });
};
window.ui = SwaggerUIBundle({
  url: '${DOCUMENT_PATH}', dom_id: '#contract', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: 0,
  validatorUrl: null, queryConfigEnabled: false, persistAuthorization: false, displayRequestDuration: true, showExtensions: true,
  requestInterceptor: toThisServer,
});
`;

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

const OPEN = { method: 'get', tag: 'Documentation', credential: 'none', price: CHEAP, isKept: true } as const;

const DocumentInfo = named('DocumentInfo', Type.Object({ version: Type.String() }));

const endpoints = {
  document: endpoint({
    ...OPEN,
    id: 'showOpenApi',
    path: DOCUMENT_PATH,
    summary: 'This contract.',
    answer: {
      about: 'OpenAPI 3.1.',
      schema: named('OpenApiDocument', Type.Object({ openapi: Type.Literal('3.1.0'), info: DocumentInfo })),
    },
  }),
  streams: endpoint({
    ...OPEN,
    id: 'showAsyncApi',
    path: STREAMS_PATH,
    summary: 'The contract of the WebSocket.',
    answer: {
      about: 'AsyncAPI 3.0.',
      schema: named('AsyncApiDocument', Type.Object({ asyncapi: Type.Literal('3.0.0'), info: DocumentInfo })),
    },
  }),
  page: endpoint({
    ...OPEN,
    id: 'docs',
    path: DOCS_PATH,
    summary: 'The first steps, and this contract, as a page.',
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  }),
  streamPage: endpoint({
    ...OPEN,
    id: 'docsWebSocket',
    path: STREAM_PAGE_PATH,
    summary: 'The contract of the WebSocket as a page.',
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  }),
  llms: endpoint({
    ...OPEN,
    id: 'llmsText',
    path: LLMS_PATH,
    summary: 'What a language model needs to write a bot.',
    answer: { about: 'Markdown, as llmstxt.org describes it.', schema: Type.String(), contentType: 'text/plain' },
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
    params: Type.Object({ script: named('DocsScript', words('start.js', 'swagger-ui-bundle.js')) }),
    answer: { about: 'A script.', schema: Type.String(), contentType: 'text/javascript' },
    errors: { 404: ['not_found'] },
  }),
};

export const pageEndpoints: readonly Endpoint[] = Object.values(endpoints);

/** @param parts.endpoints those of this deployment */
export function mountContract(
  router: AuthRouter,
  { config, endpoints: described }: { readonly config: Config; readonly endpoints: readonly Endpoint[] },
): void {
  const origin = config.PUBLIC_URL.replace(/\/+$/, '');
  const files = [
    { path: DOCUMENT_PATH, file: jsonFile(() => openApi(described, { publicUrl: origin })) },
    { path: STREAMS_PATH, file: jsonFile(() => asyncApi(config)) },
    { path: DOCS_PATH, file: documentPage(() => guidePage(origin)) },
    { path: STREAM_PAGE_PATH, file: documentPage(() => streamPage(asyncApi(config))) },
    {
      path: LLMS_PATH,
      file: new StaticFile({
        type: 'text/plain; charset=utf-8',
        read: () => llmsText({ origin, config, endpoints: described }),
      }),
    },
  ];
  for (const { path, file } of files) router.get(path, (ctx) => file.answer(ctx));
  for (const { path } of [endpoints.styles, endpoints.script]) {
    router.get(path, async (ctx) => {
      const file = FILES.get(ctx.path.slice('/docs/'.length));
      if (file === undefined) throw nothingHere();
      await file.answer(ctx);
    });
  }
}

const jsonFile = (make: () => object): StaticFile =>
  new StaticFile({ type: 'application/json; charset=utf-8', read: () => JSON.stringify(make()) });
