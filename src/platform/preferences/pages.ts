import { z } from 'zod';
import { oneOf } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { of, save } from './preferences.ts';
import { DENSITIES, THEMES } from './record.ts';

const PATH = '/admin/profile/preferences';

/** How the panel looks and behaves for whoever signed in. */
const preferencesPage: Page = page({
  path: PATH,
  title: 'Appearance and shortcuts',
  audience: 'staff',
  layout: 'layouts/panel',
  help: 'staff-and-roles',
  query: z.object({ done: z.string().optional() }),
  form: later(() =>
    z.object({
      theme: oneOf(THEMES),
      density: oneOf(DENSITIES),
      singleKeys: z.literal('true').optional(),
    }),
  ),
  async show(ctx, { visitor, query }) {
    const chosen = await of(ctx, visitor.actor.id);
    const values = { ...chosen, singleKeys: String(chosen.singleKeys) };
    return show('panel/preferences', { isDone: query.done === 'saved' }, { values });
  },
  async submit(ctx, { visitor, form }) {
    await save(ctx, visitor.actor.id as string, { ...form, singleKeys: form.singleKeys === 'true' });
    return goTo(`${PATH}?done=saved`);
  },
});

export const preferencePages: readonly Page[] = [preferencesPage];
