import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

/** Which emails a member of staff wants; of those without a row permissions decide. */
export const choiceRecord = record(
  'staff_email_choices',
  {
    adminUserId: column.text(30, 30).references('admin_users'),
    /** Its key. */
    mail: column.text(60, 1),
    isWanted: column.flag(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['adminUserId', 'mail'], kept: 'as long as the account' },
);
export type Choice = ValuesOf<typeof choiceRecord>;
