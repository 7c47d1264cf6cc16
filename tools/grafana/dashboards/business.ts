// Accounts, orders and plans.
import type { Dashboard } from '../dashboard.ts';
import { rate } from '../panels.ts';

export const business: Dashboard = {
  uid: 'business',
  title: 'business',
  about: 'Accounts, orders and plans.',
  rows: [
    {
      title: 'Users',
      panels: [
        { title: 'Users by plan', unit: 'short', lines: [['sum by (plan) (max by (plan, state) (billing_users))', '{{plan}}']] },
        {
          title: 'Users by state',
          unit: 'short',
          lines: [['sum by (state) (max by (plan, state) (billing_users))', '{{state}}']],
        },
        {
          title: 'Accounts that trade',
          about: 'In memory: with a position, an open order, or a request of the last minute.',
          unit: 'short',
          lines: [['sum(actor_accounts)', 'accounts']],
        },
      ],
    },
    {
      title: 'Trading',
      panels: [
        {
          title: 'Fills and ended orders',
          unit: 'ops',
          lines: [
            [`sum(${rate('actor_events_total{type="orderFilled"}')})`, 'fills'],
            [`sum(${rate('actor_events_total{type="orderEnded"}')})`, 'ended orders'],
          ],
        },
        {
          title: 'Liquidations',
          unit: 'short',
          lines: [['sum(increase(actor_events_total{type="liquidated"}[$__rate_interval]))', 'liquidated']],
        },
        {
          title: 'The house',
          about: 'Fees, less funding and take-overs; and what accounts owed beyond their equity.',
          unit: 'currencyUSD',
          lines: [
            ['sum(house_cash_usd)', 'cash'],
            ['sum(house_loss_usd)', 'losses'],
          ],
        },
      ],
    },
  ],
};
