// The pages of operators by address. All are one script: operators go from one to the next.
import type { JSX } from 'preact';
import { matchRoute } from '../../domain/matchRoute.ts';
import { address } from '../../state/route.ts';
import { NotFound } from '../entrance/NotFound.tsx';
import { Acts } from './Acts.tsx';
import { Discounts } from './Discounts.tsx';
import { Exchange } from './Exchange.tsx';
import { Invoices } from './Invoices.tsx';
import { Jobs } from './Jobs.tsx';
import { Quarantine } from './Quarantine.tsx';
import { Shards } from './Shards.tsx';
import { UserPage } from './UserPage.tsx';
import { Users } from './Users.tsx';

interface Params {
  /** Of the user, where the address names one. */
  readonly id: string;
}

const VIEWS: ReadonlyMap<string, (params: Params) => JSX.Element> = new Map([
  ['/admin', Exchange],
  ['/admin/users', Users],
  ['/admin/users/:id', UserPage],
  ['/admin/invoices', Invoices],
  ['/admin/discounts', Discounts],
  ['/admin/shards', Shards],
  ['/admin/jobs', Jobs],
  ['/admin/quarantine', Quarantine],
  ['/admin/audit', Acts],
]);

export default function AdminPages(params: Params) {
  const View = matchRoute(address.value.replace(/\?.*$/, ''), VIEWS)?.page ?? NotFound;
  return <View {...params} />;
}
