import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

export const THEMES = ['SYSTEM', 'LIGHT', 'DARK'] as const;
export const DENSITIES = ['COMFORTABLE', 'COMPACT'] as const;

/** How the panel looks and behaves for a member of staff; whoever chose nothing has no row. */
export const preferencesRecord = record(
  'staff_preferences',
  {
    adminUserId: column.text(30, 30).references('admin_users'),
    theme: column.choice(THEMES),
    density: column.choice(DENSITIES),
    /** Keys without Ctrl, which some people press by accident (WCAG 2.1.4). */
    singleKeys: column.flag(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['adminUserId'], kept: 'as long as the account' },
);

export type Preferences = Omit<ValuesOf<typeof preferencesRecord>, 'adminUserId' | 'createdAt' | 'updatedAt'>;
