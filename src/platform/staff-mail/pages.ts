import { z } from 'zod';
import { type Actor, includesPermission } from '#kernel/actor.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import type { StaffMail } from '#kernel/mail.ts';
import { later } from '#kernel/sharing.ts';
import { choicesOf, choose } from './repository.ts';

const PATH = '/admin/profile/emails';

const offered = (mails: readonly StaffMail[], { permissions, scopes = {} }: Actor): StaffMail[] =>
  Object.keys(scopes).length > 0
    ? []
    : mails.filter(({ needs }) => permissions !== undefined && includesPermission(permissions, needs));

/** Which emails whoever signed in gets. It concerns nobody else, so the audit log does not have it. */
export const staffMailPage = (mails: readonly StaffMail[]): Page =>
  page({
    path: PATH,
    title: 'Emails you get',
    audience: 'staff',
    layout: 'layouts/panel',
    help: 'send-mail',
    query: later(() => z.object({ done: z.string().max(10).optional() })),
    form: later(() => z.object({ wanted: z.array(z.string().max(60)).max(100) })),
    async show(ctx, { visitor: { actor }, query }) {
      const chosen = await choicesOf(ctx, actor.id as string);
      return show('platform/profile-emails', {
        path: PATH,
        isDone: query.done === 'saved',
        mails: offered(mails, actor).map(({ mail, label, needs, sentTo = needs }) => ({
          key: mail.key,
          label,
          isWanted: chosen.get(mail.key) ?? includesPermission(actor.permissions ?? [], sentTo),
        })),
      });
    },
    async submit(ctx, { visitor: { actor }, form }) {
      const wanted = offered(mails, actor).map(({ mail }): [string, boolean] => [
        mail.key,
        form.wanted.includes(mail.key),
      ]);
      await ctx.tx((ctx) => choose(ctx, actor.id as string, new Map(wanted)));
      return goTo(`${PATH}?done=saved`);
    },
  });
