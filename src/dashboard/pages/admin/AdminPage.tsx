// What stands around every page of operators: the way to the others. Users without the role are told so, and nothing is asked for them.
import '../../styles/admin.css';
import type { ComponentChildren } from 'preact';
import { Shell } from '../../parts/Shell.tsx';
import { Loading } from '../../parts/states.tsx';
import { address } from '../../state/route.ts';
import { user } from '../../state/user.ts';

const LINKS = [
  ['/admin', 'Exchange'],
  ['/admin/users', 'Users'],
  ['/admin/invoices', 'Invoices'],
  ['/admin/discounts', 'Discount codes'],
  ['/admin/shards', 'Shards'],
  ['/admin/jobs', 'Jobs'],
  ['/admin/quarantine', 'Halted and parked'],
  ['/admin/audit', 'Acts'],
] as const;

export function AdminPage({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const roles = user.value?.roles;
  const here = address.value.replace(/\?.*$/, '');
  return (
    <Shell title={title}>
      {roles === undefined && <Loading lines={6} />}
      {roles?.includes('operator') === false && <p class="empty">Only operators have this page.</p>}
      {roles?.includes('operator') && (
        <>
          <nav class="subpages" aria-label="Pages of operators">
            {LINKS.map(([to, name]) => (
              <a
                key={to}
                href={to}
                aria-current={here === to || (to !== '/admin' && here.startsWith(`${to}/`)) ? 'page' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          {children}
        </>
      )}
    </Shell>
  );
}
