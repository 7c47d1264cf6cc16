// Whether prices are fresh, and what that costs at the venue.
import type { Dashboard } from '../dashboard.ts';
import { threads } from '../panels.ts';

export const market: Dashboard = {
  uid: 'market',
  title: 'market',
  about: 'Whether books and marks are fresh, and what is asked of the venue.',
  rows: [
    {
      title: 'Feed',
      panels: [
        { title: 'Leaders', unit: 'none', as: 'figure', lines: [['max(service_market_leaders)', 'leaders']] },
        {
          title: 'Age of the newest datum',
          about: 'Past MARKET_MAX_AGE_MS (15 s) of book or context new orders are refused.',
          unit: 's',
          lines: [['max by (feed) (api_market_feed_age_seconds)', '{{feed}}']],
        },
        threads('market'),
      ],
    },
    {
      title: 'The venue',
      panels: [
        {
          title: 'Weight a minute',
          unit: 'short',
          lines: [['60 * sum by (payer, outcome) (rate(venue_weight_total[$__rate_interval]))', '{{payer}} {{outcome}}']],
        },
        { title: 'Clocks ahead of Redis’s', unit: 's', lines: [['clock_offset_seconds', '{{instance}}']] },
      ],
    },
  ],
};
