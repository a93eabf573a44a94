import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { requireWholeInstallation } from '../admin/index.ts';
import { type Alert, alertRecord } from './record.ts';
import { ALERT_STATES } from './view.ts';

/** Alerts of the installation, the newest first: open ones, and those of the last 90 days that are over. */
export const alertRows = selection<Alert>({
  from(ctx) {
    requireWholeInstallation(ctx);
    return ctx.db.knex(alertRecord.table);
  },
  id: 'id',
  scope: 'none',
  columns: alertRecord.written,
  read: alertRecord.read,
  filters: {
    state: filter.choice(ALERT_STATES, {
      label: 'State',
      column: (query, states) => {
        if (!states.includes('over')) query.whereNull('ended_at');
        if (!states.includes('open')) query.whereNotNull('ended_at');
      },
    }),
    server: filter.text({ label: 'Server', column: 'server', match: 'contains' }),
    begun: filter.times({ label: 'Since', column: 'created_at' }),
  },
  search: { placeholder: 'Title or message', by: ['title', 'message'] },
  sorts: { begun: 'created_at', ended: { column: 'ended_at', isNullable: true } },
  initial: '-begun',
});
