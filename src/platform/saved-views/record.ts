import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { tenantColumn } from '../tenants/index.ts';
import { ids } from './ids.ts';

export const LONGEST_NAME = 100;
/** Longer addresses are refused by what stands before servers. */
export const LONGEST_QUERY = 2000;
const LONGEST_LIST = 100;

/** A list of the panel as somebody narrowed, sorted and laid it out, under a name. */
export const savedViewRecord = record(
  'saved_views',
  {
    id: column.id(ids.view),
    tenantId: tenantColumn(),
    adminUserId: column.text(30, 30).references('admin_users'),
    /** The resource whose list it is of. */
    list: column.text(LONGEST_LIST, 1),
    name: column.text(LONGEST_NAME, 1),
    /** What the address of the list says after its question mark. */
    query: column.text(LONGEST_QUERY),
    isShared: column.flag(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['tenantId', 'adminUserId', 'list', 'name'], kept: 'as long as the account of its owner' },
);

export type SavedView = ValuesOf<typeof savedViewRecord>;

/** How somebody wants a list to open; whoever chose nothing has no row. */
export const listChoiceRecord = record(
  'staff_lists',
  {
    adminUserId: column.text(30, 30).references('admin_users'),
    tenantId: tenantColumn(),
    list: column.text(LONGEST_LIST, 1),
    /** No foreign key: a shared view goes when its owner takes it back, and the list opens without it then. */
    viewId: column.id(ids.view).nullable(),
    /** Names of columns between commas; null for those that the list shows by itself. */
    columns: column.text(LONGEST_QUERY).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['adminUserId', 'tenantId', 'list'], kept: 'as long as the account' },
);

export type ListChoice = Pick<ValuesOf<typeof listChoiceRecord>, 'viewId' | 'columns'>;
