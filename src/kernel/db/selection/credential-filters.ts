import { addSeconds, SECONDS_PER_DAY } from '../../clock.ts';
import { filter } from './filter.ts';
import type { Filters } from './spec.ts';

const UNUSED_DAYS = 90;

/** States of what opens an API until it is revoked or expires. */
export const CREDENTIAL_STATES = ['ACTIVE', 'REVOKED', 'EXPIRED'] as const;

/**
 * Filters of API keys and tokens: rows with the columns `revoked_at`, `expires_at` and `last_used_at`.
 *
 * @param table before the columns, `t.`; empty where the rows are of one table
 */
export const credentialFilters = (table = ''): Filters => ({
  status: filter.choice(CREDENTIAL_STATES, {
    label: 'Status',
    column: (query, states, ctx) => {
      const now = ctx.now();
      const [revoked, expires] = [`${table}revoked_at`, `${table}expires_at`];
      query.where((any) => {
        if (states.includes('REVOKED')) any.orWhereNotNull(revoked);
        if (states.includes('EXPIRED'))
          any.orWhere((ended) => ended.whereNull(revoked).where(expires, '<=', now));
        if (states.includes('ACTIVE'))
          any.orWhere((live) =>
            live.whereNull(revoked).where((open) => open.whereNull(expires).orWhere(expires, '>', now)),
          );
      });
    },
  }),
  expiring: filter.within({
    label: 'Expires within',
    column: `${table}expires_at`,
    presets: ['7d', '30d', '90d'],
    direction: 'ahead',
  }),
  unused: filter.flag({
    label: `Unused for ${UNUSED_DAYS} days`,
    column: (query, isUnused, ctx) => {
      const used = `${table}last_used_at`;
      const since = addSeconds(ctx.now(), -UNUSED_DAYS * SECONDS_PER_DAY);
      if (isUnused) query.where((never) => never.whereNull(used).orWhere(used, '<=', since));
      else query.where(used, '>', since);
    },
  }),
});
