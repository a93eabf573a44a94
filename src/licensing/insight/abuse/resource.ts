import { z } from 'zod';
import { oneOf, text } from '#kernel/http/fields.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { CONFIRM_ACTIONS } from '#licensing/contract/enumerations.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { action, adminResource } from '#platform/admin/index.ts';
import { flagRows } from './queries.ts';
import * as review from './review.ts';
import { abuseScreen } from './screen.ts';
import { type Flag, FlagView } from './view.ts';

const NoteBody = z.strictObject({ note: text({ min: 1, max: bounds.reason }) }).meta({ id: 'FlagNoteBody' });
const FlagBody = NoteBody.extend({ licenseId: idField() });
const ConfirmBody = later(() =>
  NoteBody.extend({ action: oneOf(CONFIRM_ACTIONS).default('NONE') }).meta({
    id: 'FlagConfirmBody',
  }),
);

const resolution = { needs: 'licensing:write', level: 'mild', where: 'both' } as const;
const isOpen = ({ status }: Flag): boolean => status === 'OPEN';

/** Suspicious use of licenses, for staff (licensing 4.2, Abuse). */
export const abuseFlagResource = adminResource<Flag, typeof FlagBody>({
  name: 'abuse-flags',
  labels: { one: 'abuse flag', many: 'abuse flags' },
  about: 'Suspicious use of licenses',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: abuseScreen,
  rows: flagRows,
  get: review.get,
  create: {
    schema: FlagBody,
    summary: 'Flag a license by hand',
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: (ctx, { licenseId }, { note = '' }) => review.flag(ctx, licenseId, note),
  },
  actions: {
    clear: action<Flag, typeof NoteBody>({
      ...resolution,
      label: 'Clear',
      summary: 'Close a flag as unfounded',
      when: isOpen,
      input: NoteBody,
      run: (ctx, id, _input, { note = '' }) => review.clear(ctx, id, note),
    }),
    confirm: action<Flag, typeof ConfirmBody>({
      ...resolution,
      label: 'Confirm',
      summary: 'Close a flag as founded, and act on the license',
      when: isOpen,
      input: ConfirmBody,
      run: (ctx, id, { action }, { note = '' }) => review.confirm(ctx, id, { note, action }),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/abuse/flags',
      item: 'flag',
      view: FlagView,
      toView: (flag) => flag,
    },
  ],
});
