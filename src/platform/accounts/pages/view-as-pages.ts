import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { beginView, endView } from '../../sessions/index.ts';
import { get } from '../staff.ts';
import { beginViewAs, endViewAs } from '../view-as.ts';
import { homeOf } from './paths.ts';

const LIST = '/admin/users';

/** Begins to show the panel as somebody else sees it, read only (admin.md 7). */
const beginPage: Page = page({
  path: `${LIST}/{id}/view-as`,
  title: 'View as',
  audience: { staff: 'users:write' },
  layout: 'layouts/panel',
  help: 'staff-and-roles',
  params: z.strictObject({ id: text({ min: 1, max: 255 }) }),
  form: z.object({}),
  async show(ctx, { params }) {
    const { id, email } = await get(ctx, params.id);
    return show('platform/view-as', { account: email, path: `${LIST}/${encodeURIComponent(id)}` });
  },
  async submit(ctx, { params, visitor }) {
    const { actor, session } = visitor;
    if (params.id === actor.id) throw refuseForm('This is your own account', {}, 409);
    const user = await beginViewAs(ctx, params.id);
    beginView(session, actor.id as string, user.id);
    return goTo(homeOf(actor));
  },
});

/** Ends it: the one form that somebody sends who looks as somebody else. */
const endPage: Page = page({
  path: '/admin/view-as/end',
  title: 'Stop viewing',
  audience: 'public',
  form: z.object({}),
  show: async () => goTo('/admin/'),
  async submit(ctx, { visitor: { actor, session } }) {
    if (!actor.viewing || actor.id === null) return goTo('/admin/');
    await endViewAs(ctx.with({ actor }), actor.id);
    endView(session);
    return goTo(`${LIST}/${encodeURIComponent(actor.id)}`);
  },
});

export const viewAsPages: readonly Page[] = [beginPage, endPage];
