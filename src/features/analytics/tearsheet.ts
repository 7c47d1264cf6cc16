// GET …/account/tearsheet: the results of an account as one HTML file to keep or to send; and …/tearsheet/figures, what it is made of. Both
// are one reading, which is bounded and has its turn as that of analytics.
import { Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import type { Endpoint } from '../../api/contract/endpoint.ts';
import { periodParameter } from '../../api/http/listQuery.ts';
import { Tearsheet, type TearsheetAnswer } from './figures.ts';
import { SHEET_HEADERS, sheetOf } from './sheet.ts';

type Own = Pick<Endpoint, 'id' | 'summary' | 'description' | 'query' | 'answer'>;

/** What the two have beside what all reads of the dashboard have in common. */
export const tearsheetOwn = {
  file: {
    id: 'showTearsheet',
    summary: 'The results of a period as one HTML file.',
    description:
      'Months, drawdown, rolling Sharpe ratio, statistics and list of trades, from the figures of docs/analytics.md. The file has no script and ' +
      'loads nothing; it is below 512 kB.',
    query: Type.Object({ period: periodParameter }),
    answer: { about: 'The file.', schema: Type.String(), contentType: 'text/html' },
  },
  figures: {
    id: 'showTearsheetFigures',
    summary: 'What the tearsheet of a period is made of.',
    query: Type.Object({ period: periodParameter }),
    answer: { about: 'The figures, by months and days, and the newest trades.', schema: Tearsheet },
  },
} as const satisfies Record<string, Own>;

/** Answers with the file. */
export function answerSheet(ctx: RouteContext, figures: TearsheetAnswer): void {
  ctx.set(SHEET_HEADERS);
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  ctx.set('Content-Disposition', `attachment; filename="${figures.account}-tearsheet-${figures.figures.period}.html"`);
  ctx.body = sheetOf(figures);
}
