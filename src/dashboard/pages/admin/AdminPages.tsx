// The pages of operators by address. All are one script: operators go from one to the next.
import type { JSX } from 'preact';
import { matchRoute } from '../../domain/matchRoute.ts';
import { address } from '../../state/route.ts';
import { NotFound } from '../entrance.tsx';
import { Acts } from './AdminAct.tsx';
import { Exchange, Jobs, Shards } from './Exchange.tsx';
import { Discounts, Invoices } from './Money.tsx';
import { Quarantine } from './Quarantine.tsx';
import { UserPage, Users } from './Users.tsx';

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
