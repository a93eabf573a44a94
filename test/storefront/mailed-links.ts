// What only the reader of a mail knows: the links in it.
import { openValues } from '#platform/mail/values.ts';
import type { TestApp } from '../support/app.ts';

/** The last part of a link in the newest mail of a template to an address: its token. */
export async function linkMailed(
  app: TestApp,
  email: string,
  template: string,
  name: string,
): Promise<string> {
  const rows = await app.instance.database.db
    .knex('email_log')
    .where({ to_address: email, template })
    .orderBy('id', 'desc');
  const [row] = rows;
  if (!row) throw new Error(`no ${template} was written to ${email}`);
  const values = openValues(app.ctx, row.id, row.values_enc) as Record<string, string>;
  return values[name]?.split('/').at(-1) ?? '';
}
