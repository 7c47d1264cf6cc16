// GET /v1/admin/audit: what operators have looked at and done, newest first. A row is written before the act; what was refused has a second.
import { Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { AuditPage, toAuditItem } from '../../api/auth/audit.ts';
import { OPERATORS } from '../../shared/mongo/auditLog.ts';
import { operatorLook } from './operatorAct.ts';
import { PAGE_ERRORS, pageParameters, readPage } from './page.ts';

/** The id of a row of operators. */
const ROW = new RegExp(`^${OPERATORS}:[0-9a-z]{11}:[\\w.:-]{1,80}$`);

/** For the API alone. */
export const listOperatorActs = operatorLook<RouteContext, unknown>({
  look: ({ billing }, ctx) =>
    readPage(ctx, {
      form: ROW,
      read: (limit, before) => billing.audit.page(OPERATORS, { limit, ...(before !== undefined && { before }) }),
      placeOf: ({ _id }) => _id,
      show: toAuditItem,
    }),
  endpoint: {
    id: 'listOperatorActs',
    path: '/v1/admin/audit',
    summary: 'What operators have looked at and done, newest first.',
    query: Type.Object(pageParameters),
    answer: AuditPage,
    errors: PAGE_ERRORS,
    ask: (ctx) => ctx,
  },
});
