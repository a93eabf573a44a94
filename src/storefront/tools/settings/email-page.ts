import { z } from 'zod';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { isMailAddress, isMailSent, sendTest } from '#platform/mail/index.ts';
import * as settings from '#platform/settings/index.ts';
import { formOf, requireWrite, valuesOf } from './form.ts';
import { act, groupModel, shared } from './group-page.ts';
import type { Group } from './groups.ts';

/** The mail server and the sender, and a button that tries them. */
export const emailPage = (group: Group): Page =>
  page({
    ...shared,
    help: 'send-mail',
    path: group.path,
    title: group.label,
    query: later(() => z.object({ done: z.string().max(10).optional() })),
    form: later(() =>
      formOf(group).extend({
        /** Sent by the button of the test alone. */
        test_to: z.string().trim().max(254).optional().meta({ title: 'Send a test to' }),
      }),
    ),
    formBytes: 256 * 1024,
    async show(ctx, { query }) {
      await settings.refresh(ctx);
      return show(
        'store/settings-email',
        {
          ...groupModel(ctx, group, query.done),
          ...(query.done === 'tested' && { done: 'The test email was sent. Check whether it arrived.' }),
          isSent: await isMailSent(ctx),
        },
        { values: valuesOf(ctx, group) },
      );
    },
    async submit(ctx, { form: { test_to: to, ...form } }) {
      requireWrite(ctx);
      if (to === undefined) return goTo(`${group.path}?done=${await act(ctx, group, form)}`);
      const said = 'Enter an email address, such as ann@example.com';
      if (!isMailAddress(to)) throw refuseForm(said, { test_to: said });
      const { sent, error } = await sendTest(ctx, to);
      if (sent) return goTo(`${group.path}?done=tested`);
      const text = `The test email was not sent: ${error}`;
      throw refuseForm(text, { test_to: text });
    },
  });
