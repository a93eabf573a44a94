import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { MEDIA_STATUSES, MEDIA_TYPES, type Media, mediaRecord } from './record.ts';

/** All pictures: they belong to the installation. */
export const mediaRows = selection<Media>({
  from: ({ db }) => db.knex(mediaRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: mediaRecord.read,
  filters: {
    mime: filter.choice(MEDIA_TYPES, { label: 'Type', column: 'mime' }),
    folder: filter.text({ label: 'Folder', column: 'folder' }),
    status: filter.choice(MEDIA_STATUSES, { label: 'Status', column: 'status' }),
    // An empty text is kept as none.
    alt: filter.choice(['missing', 'present'], {
      label: 'Description',
      column: (query, wanted) => {
        if (new Set(wanted).size === 2) return;
        if (wanted[0] === 'missing') query.whereNull('alt');
        else query.whereNotNull('alt');
      },
    }),
    created: filter.times({ label: 'Uploaded', column: 'created_at' }),
  },
  search: { placeholder: 'File name or alternative text', by: ['file_name', 'alt'] },
  sorts: { created: 'created_at', name: 'file_name', size: 'bytes' },
  initial: '-created',
});

/** Pictures by their ids; those that do not exist are left out. */
export const mediaByIds = async (ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Media>> =>
  new Map((ids.length === 0 ? [] : await mediaRows.of(ctx, [...new Set(ids)])).map((one) => [one.id, one]));
