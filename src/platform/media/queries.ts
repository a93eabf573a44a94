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
    created: filter.times({ label: 'Uploaded', column: 'created_at' }),
  },
  search: { placeholder: 'File name or alternative text', by: ['file_name', 'alt'] },
  sorts: { created: 'created_at', name: 'file_name', size: 'bytes' },
  initial: '-created',
});
