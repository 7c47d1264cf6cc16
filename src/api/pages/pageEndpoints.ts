// The addresses of the dashboard. Each is listed, so an unknown path stays the API's 404. All give the same page, which shows
// what the address says.

import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { nothingHere } from '../http/answers.ts';
import { endpoint, type MountedEndpoint } from '../http/endpoint.ts';
import type { DashboardFiles } from './dashboardFiles.ts';
import { PAGE_PATHS } from './pagePaths.ts';

const OPEN = { method: 'get', tag: 'Dashboard pages', credential: 'none', price: CHEAP, isKept: true } as const;

const idIn = (path: string) => {
  const name = /:(\w+)$/.exec(path)?.[1];
  return name === undefined ? {} : { params: Type.Object({ [name]: Type.String() }) };
};

interface PageParts {
  readonly dashboard?: DashboardFiles | undefined;
}

const pages: readonly MountedEndpoint<PageParts>[] = Object.entries(PAGE_PATHS).map(([id, { path, summary }]) =>
  endpoint({
    ...OPEN,
    id,
    path,
    summary,
    ...idIn(path),
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
    handle:
      ({ dashboard }: PageParts) =>
      (ctx) =>
        filesOf(dashboard).page.answer(ctx),
  }),
);

const answerAsset =
  ({ dashboard }: PageParts) =>
  async (ctx: RouteContext): Promise<void> => {
    const file = filesOf(dashboard).assets.get(ctx.path);
    if (file === undefined) throw nothingHere();
    await file.answer(ctx);
  };

const FILE = Type.Object({ file: Type.String({ description: 'Its name changes with its content.' }) });

const script = endpoint({
  ...OPEN,
  id: 'dashboardScript',
  path: '/scripts/:file',
  summary: 'A script of the dashboard.',
  params: FILE,
  answer: { about: 'The script.', schema: Type.String(), contentType: 'text/javascript' },
  errors: { 404: ['not_found'] },
  handle: answerAsset,
});

const style = endpoint({
  ...OPEN,
  id: 'dashboardStyle',
  path: '/styles/:file',
  summary: 'A style sheet of the dashboard.',
  params: FILE,
  answer: { about: 'The style sheet.', schema: Type.String(), contentType: 'text/css' },
  errors: { 404: ['not_found'] },
  handle: answerAsset,
});

export const dashboardPageEndpoints: readonly MountedEndpoint<PageParts>[] = [...pages, script, style];

/** The registry lists the pages only where the dashboard is served. */
function filesOf(dashboard: DashboardFiles | undefined): DashboardFiles {
  assert(dashboard, 'the dashboard is served');
  return dashboard;
}
