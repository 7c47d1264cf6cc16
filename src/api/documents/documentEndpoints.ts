// The published contracts, of HTTP and of the WebSocket, and the documentation made of them: pages, and a text for
// language models. The code on the first page is a library in this package and loads nothing from elsewhere. The library would
// install a package that reports each installation to a third party; package.json puts another in its place (`overrides`). All
// is answered from memory.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Type } from '@sinclair/typebox';
import type { Config } from '../../shared/config/config.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { words } from '../contract/answerValues.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { nothingHere } from '../http/answers.ts';
import { endpoint, type MountedEndpoint } from '../http/endpoint.ts';
import { StaticFile } from '../http/staticFile.ts';
import { asyncApi } from './asyncApi.ts';
import { DOCS_PATH, DOCUMENT_PATH, documentPage, LLMS_PATH, STREAM_PAGE_PATH, STREAMS_PATH } from './documentPage.ts';
import { guidePage } from './guidePage.ts';
import { llmsText } from './llmsText.ts';
import { openApi } from './openApi.ts';
import { streamPage } from './streamPage.ts';

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

interface DocumentParts {
  readonly config: Config;
  /** Those of this deployment. */
  readonly endpoints: readonly Endpoint[];
}

const originOf = ({ PUBLIC_URL }: Config): string => PUBLIC_URL.replace(/\/+$/, '');

const jsonFile = (make: () => object): StaticFile =>
  new StaticFile({ type: 'application/json; charset=utf-8', read: () => JSON.stringify(make()) });

/** Answers from memory, with a file that is made once. */
const answering = (fileOf: (parts: DocumentParts) => { answer(ctx: RouteContext): Promise<void> }) => (parts: DocumentParts) => {
  const file = fileOf(parts);
  return (ctx: RouteContext) => file.answer(ctx);
};

const answerFile = () => async (ctx: RouteContext) => {
  const file = FILES.get(ctx.path.slice('/docs/'.length));
  if (file === undefined) throw nothingHere();
  await file.answer(ctx);
};

export const documentEndpoints: readonly MountedEndpoint<DocumentParts>[] = [
  endpoint({
    ...OPEN,
    id: 'showOpenApi',
    path: DOCUMENT_PATH,
    summary: 'This contract.',
    answer: {
      about: 'OpenAPI 3.1.',
      schema: named('OpenApiDocument', Type.Object({ openapi: Type.Literal('3.1.0'), info: DocumentInfo })),
    },
    handle: answering(({ config, endpoints }) => jsonFile(() => openApi(endpoints, { publicUrl: originOf(config) }))),
  }),
  endpoint({
    ...OPEN,
    id: 'showAsyncApi',
    path: STREAMS_PATH,
    summary: 'The contract of the WebSocket.',
    answer: {
      about: 'AsyncAPI 3.0.',
      schema: named('AsyncApiDocument', Type.Object({ asyncapi: Type.Literal('3.0.0'), info: DocumentInfo })),
    },
    handle: answering(({ config }) => jsonFile(() => asyncApi(config))),
  }),
  endpoint({
    ...OPEN,
    id: 'docs',
    path: DOCS_PATH,
    summary: 'The first steps, and this contract, as a page.',
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
    handle: answering(({ config }) => documentPage(() => guidePage(originOf(config)))),
  }),
  endpoint({
    ...OPEN,
    id: 'docsWebSocket',
    path: STREAM_PAGE_PATH,
    summary: 'The contract of the WebSocket as a page.',
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
    handle: answering(({ config }) => documentPage(() => streamPage(asyncApi(config)))),
  }),
  endpoint({
    ...OPEN,
    id: 'llmsText',
    path: LLMS_PATH,
    summary: 'What a language model needs to write a bot.',
    answer: { about: 'Markdown, as llmstxt.org describes it.', schema: Type.String(), contentType: 'text/plain' },
    handle: answering(({ config, endpoints }) => {
      const read = () => llmsText({ origin: originOf(config), config, endpoints });
      return new StaticFile({ type: 'text/plain; charset=utf-8', read });
    }),
  }),
  endpoint({
    ...OPEN,
    id: 'docsStyles',
    path: '/docs/swagger-ui.css',
    summary: 'How the page looks.',
    answer: { about: 'A style sheet.', schema: Type.String(), contentType: 'text/css' },
    handle: answerFile,
  }),
  endpoint({
    ...OPEN,
    id: 'docsScript',
    path: '/docs/:script',
    summary: 'What the page runs.',
    params: Type.Object({ script: named('DocsScript', words('start.js', 'swagger-ui-bundle.js')) }),
    answer: { about: 'A script.', schema: Type.String(), contentType: 'text/javascript' },
    errors: { 404: ['not_found'] },
    handle: answerFile,
  }),
];
