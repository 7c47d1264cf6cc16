// The pages of operators by address. The script of each comes when it is first shown.
import { matchRoute } from '../../domain/matchRoute.ts';
import { laterPage } from '../../parts/laterPage.tsx';
import { address } from '../../state/route.ts';
import NotFound from '../entrance/NotFound.tsx';

const VIEWS = new Map([
  ['/admin', laterPage(() => import('./Exchange.tsx'))],
  ['/admin/users', laterPage(() => import('./Users.tsx'))],
  ['/admin/users/:id', laterPage(() => import('./UserPage.tsx'))],
  ['/admin/invoices', laterPage(() => import('./Invoices.tsx'))],
  ['/admin/discounts', laterPage(() => import('./Discounts.tsx'))],
  ['/admin/shards', laterPage(() => import('./Shards.tsx'))],
  ['/admin/jobs', laterPage(() => import('./Jobs.tsx'))],
  ['/admin/quarantine', laterPage(() => import('./Quarantine.tsx'))],
  ['/admin/audit', laterPage(() => import('./Acts.tsx'))],
]);

export default function AdminPages(params: object) {
  const View = matchRoute(address.value.replace(/\?.*$/, ''), VIEWS)?.page ?? NotFound;
  return <View {...params} />;
}
