// GET /v1/admin/audit: what operators have looked at and done, newest first. A row is written before the act; what was refused has a second.
import { Type } from '@sinclair/typebox';
import { OPERATORS } from '../../shared/mongo/auditLog.ts';
import { AuditPage, toAuditItem } from '../../api/auth/audit.ts';
import { type AdminEndpoint, look } from '../endpoints.ts';
import { PAGE_ERRORS, pageParameters, readPage } from './page.ts';

/** The id of a row of operators. */
const ROW = new RegExp(`^${OPERATORS}:[0-9a-z]{11}:[\\w.:-]{1,80}$`);

const list = look({
  id: 'listOperatorActs',
  path: '/v1/admin/audit',
  summary: 'What operators have looked at and done, newest first.',
  query: Type.Object(pageParameters),
  answer: AuditPage,
  errors: PAGE_ERRORS,
  read: (ctx, { auth }) =>
    readPage(ctx, {
      form: ROW,
      read: (limit, before) => auth.audit.page(OPERATORS, { limit, ...(before !== undefined && { before }) }),
      placeOf: ({ _id }) => _id,
      show: toAuditItem,
    }),
});

export const operatorAuditEndpoints: readonly AdminEndpoint[] = [list];
