import { workOnEach, writeBatch } from '../batch.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { type Answer, pageAt } from '../store/twin.ts';
import { type EmailLine, withEmails } from './twin.ts';

const columns: readonly Column<EmailLine>[] = [
  { key: 'id' },
  { key: 'to' },
  { key: 'template' },
  { key: 'status' },
  { key: 'attempts', align: 'right' },
  { key: 'next_attempt_at', title: 'next attempt', time: true },
  { key: 'error', title: 'last error' },
];

/** `appctl email queue list [--status STATUS]`. */
export function listEmails(cli: Cli): Promise<void> {
  const status = cli.option('status') ?? 'queued';
  return withEmails(cli, async (desk) => {
    const page = await pageAt<EmailLine>(desk, 'email-log', {
      ...pageAsked(cli),
      status,
      to: cli.option('to'),
    });
    await cli.out.page(page, columns, `no emails with status ${status}; use --status for another one`);
  });
}

/** `appctl email queue retry EMAIL…`: one gives the email, several a batch. */
export const retryEmails = (cli: Cli): Promise<number> => changeEmails(cli, 'resend');

/** `appctl email queue drop EMAIL…`. */
export const dropEmails = (cli: Cli): Promise<number> => changeEmails(cli, 'drop');

function changeEmails(cli: Cli, action: 'resend' | 'drop'): Promise<number> {
  const ids = cli.argumentList('email');
  return withEmails(cli, async (desk) => {
    if (action === 'drop')
      await cli.confirm({
        action: `drop ${ids.length === 1 ? `email ${ids[0]}` : `${ids.length} emails`}`,
      });
    const work = async (id: string) =>
      (await desk.post<Answer<EmailLine>>(at`email-log/${id}/${action}`)).data;
    if (ids.length > 1) return writeBatch(cli, await workOnEach(cli, ids, work), ids, columns);
    const email = await work(ids[0] ?? '');
    await cli.out.value(
      planned(cli, email),
      card([
        ['id', email.id],
        ['to', email.to],
        ['subject', email.subject],
        ['status', email.status],
        ['error', email.error],
      ]),
    );
    noteChange(cli, `${email.id} is ${email.status}`);
    return 0;
  });
}
