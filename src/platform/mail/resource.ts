import { action, adminResource } from '../admin/index.ts';
import * as emails from './emails.ts';
import { emailRows } from './queries.ts';
import type { Email } from './record.ts';
import { emailScreen } from './screen.ts';
import { EmailView, emailView } from './view.ts';

/** Emails on their way and those that were sent, for staff (storefront-api.md, AK). */
export const emailResource = adminResource<Email>({
  name: 'emails',
  labels: { one: 'email', many: 'emails' },
  about: 'Waiting and sent emails',
  needs: { read: 'settings:read', write: 'settings:write' },
  screen: emailScreen,
  rows: emailRows,
  actions: {
    resend: action<Email>({
      label: 'Send again',
      summary: 'Send an email again, or attempt it now',
      needs: 'settings:write',
      level: 'mild',
      where: 'both',
      when: ({ status }) => status !== 'sending',
      run: (ctx, id) => emails.resend(ctx, id),
    }),
    drop: action<Email>({
      label: 'Drop',
      summary: 'Drop a waiting email so that it is not sent',
      needs: 'settings:write',
      level: 'moderate',
      where: 'both',
      when: ({ status }) => status === 'queued',
      run: (ctx, id) => emails.drop(ctx, id),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/email-log',
      item: 'email',
      type: 'EmailLog',
      view: EmailView,
      toView: emailView,
    },
  ],
});
