import type { z } from 'zod';
import { nearest } from '#kernel/edit-distance.ts';
import type { EmailPreview } from '#platform/mail/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { type Answer, loadStoreApi } from '../store/twin.ts';

/** They know every email of the program. */
const twins = async () => {
  const { capabilities } = await import('../../app/capabilities.ts');
  return capabilities.find(({ name }) => name === 'mail-templates')?.storeEndpoints ?? [];
};

type Previewed = z.output<typeof EmailPreview>;

/** An answer; a template that does not exist is reported with those that do. */
const orNamed = <T>(desk: Desk, template: string, answer: Promise<T>): Promise<T> =>
  answer.catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'NOT_FOUND')) throw error;
    const { data } = await desk.get<Answer<{ key: string }[]>>('email-templates');
    const keys = data.map(({ key }) => key);
    // An order of the sample may be what is missing.
    if (keys.includes(template)) throw error;
    const meant = nearest(template, keys);
    throw notFoundError(
      error.message,
      meant === undefined ? `templates: ${keys.toSorted().join(', ')}` : `did you mean ${meant}?`,
    );
  });

/** `appctl email preview TEMPLATE`: subject and text; with --html or --text that part alone. */
export function previewEmail(cli: Cli): Promise<void> {
  if (cli.flag('html') && cli.flag('text'))
    throw usageError(
      '--html and --text cannot be used together',
      'leave one of them out, or use --json for both',
    );
  const [locale, order] = [cli.option('locale'), cli.option('order')];
  const body = { ...(locale !== undefined && { locale }), ...(order !== undefined && { order_id: order }) };
  return withDesk(
    cli,
    twins,
    async (desk) => {
      const template = cli.argument('template');
      const path = at`email-templates/${template}/preview`;
      const { data } = await orNamed(desk, template, desk.post<Answer<Previewed>>(path, body));
      for (const name of data.unknown_placeholders) cli.warn(`{${name}} is not a placeholder in this email`);
      await cli.out.value(data, (paint) => {
        if (cli.flag('html')) return data.html;
        return cli.flag('text') ? data.text : `${paint('bold', data.subject)}\n\n${data.text}`;
      });
    },
    loadStoreApi,
  );
}
