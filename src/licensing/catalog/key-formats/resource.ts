import { adminResource, answering } from '#platform/admin/index.ts';
import * as keyFormats from './key-formats.ts';
import { keyFormatRows } from './queries.ts';
import type { StoredKeyFormat } from './record.ts';
import { KeyFormatCreate, KeyFormatPreviewBody, KeyFormatUpdate, keyFormatOf } from './schemas.ts';
import { keyFormatScreen } from './screen.ts';
import { KeyFormatPreviewView, KeyFormatView, keyFormatViews, previewView } from './view.ts';

/** How license keys are drawn, for staff (licensing 4.2, Key formats). */
export const keyFormatResource = adminResource<
  StoredKeyFormat,
  typeof KeyFormatCreate,
  typeof KeyFormatUpdate
>({
  name: 'key-formats',
  labels: { one: 'key format', many: 'key formats' },
  about: 'What license keys look like',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: keyFormatScreen,
  rows: keyFormatRows,
  get: keyFormats.get,
  create: { schema: KeyFormatCreate, run: keyFormats.create },
  edit: {
    schema: KeyFormatUpdate,
    summary: 'Change a key format; existing keys stay as they are',
    run: keyFormats.update,
  },
  remove: { level: 'mild', summary: 'Delete a key format that nothing uses', run: keyFormats.remove },
  actions: {
    preview: answering({
      label: 'Preview',
      summary: 'Show what keys of a format would look like; nothing is stored',
      needs: 'licensing:read',
      level: 'mild',
      where: 'page',
      input: KeyFormatPreviewBody,
      output: KeyFormatPreviewView,
      errors: [],
      rehearsable: false,
      run: async (_ctx, _id, input) => previewView(keyFormatOf(input)),
    }),
  },
  palette: { title: ({ name }) => name, hint: ({ prefix }) => prefix },
  apis: [
    {
      surface: 'license-admin',
      path: '/key-formats',
      item: 'keyFormat',
      view: KeyFormatView,
      toViews: keyFormatViews,
      brief: ({ id, name }) => ({ id, name }),
    },
  ],
});
