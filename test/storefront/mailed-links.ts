// What only the reader of a mail knows: what it says, and the links in it.
import { openValues } from '#platform/mail/values.ts';
import type { TestApp } from '../support/app.ts';

/** Mails of a template to an address, the newest first. */
export async function mailed(app: TestApp, email: string, template: string) {
  const rows: { id: string; locale: string; values_enc: string }[] = await app.instance.database.db
    .knex('email_log')
    .where({ to_address: email, template })
    .orderBy('id', 'desc');
  return rows.map(({ id, locale, values_enc }) => ({
    locale,
    values: openValues(app.ctx, id, values_enc) as Record<string, string>,
  }));
}

/** The last part of a link in the newest mail of a template to an address: its token. */
export async function linkMailed(
  app: TestApp,
  email: string,
  template: string,
  name: string,
): Promise<string> {
  const [mail] = await mailed(app, email, template);
  if (!mail) throw new Error(`no ${template} was written to ${email}`);
  return mail.values[name]?.split('/').at(-1) ?? '';
}
