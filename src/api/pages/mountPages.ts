// The addresses of the dashboard. Each is listed, so an unknown path stays the API's 404. All give the same page, which shows
// what the address says.

import { Type } from '@sinclair/typebox';
import type { AuthRouter } from '../auth/authParts.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { nothingHere } from '../http/errorAnswer.ts';
import type { DashboardFiles } from './dashboardFiles.ts';
import { PAGE_PATHS } from './pagePaths.ts';

const OPEN = { method: 'get', tag: 'Dashboard pages', credential: 'none', price: CHEAP, isKept: true } as const;

const idIn = (path: string) => {
  const name = /:(\w+)$/.exec(path)?.[1];
  return name === undefined ? {} : { params: Type.Object({ [name]: Type.String() }) };
};

const pages: readonly Endpoint[] = Object.entries(PAGE_PATHS).map(([id, { path, summary }]) =>
  endpoint({
    ...OPEN,
    id,
    path,
    summary,
    ...idIn(path),
    answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  }),
);

const FILE = Type.Object({ file: Type.String({ description: 'Its name changes with its content.' }) });

const script = endpoint({
  ...OPEN,
  id: 'dashboardScript',
  path: '/scripts/:file',
  summary: 'A script of the dashboard.',
  params: FILE,
  answer: { about: 'The script.', schema: Type.String(), contentType: 'text/javascript' },
  errors: { 404: ['not_found'] },
});

const style = endpoint({
  ...OPEN,
  id: 'dashboardStyle',
  path: '/styles/:file',
  summary: 'A style sheet of the dashboard.',
  params: FILE,
  answer: { about: 'The style sheet.', schema: Type.String(), contentType: 'text/css' },
  errors: { 404: ['not_found'] },
});

export const dashboardPageEndpoints: readonly Endpoint[] = [...pages, script, style];

export function mountPages(router: AuthRouter, files: DashboardFiles): void {
  for (const { path } of pages) router.get(path, (ctx) => files.page.answer(ctx));
  for (const { path } of [script, style]) {
    router.get(path, async (ctx) => {
      const file = files.assets.get(ctx.path);
      if (file === undefined) throw nothingHere();
      await file.answer(ctx);
    });
  }
}
