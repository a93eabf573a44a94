import type { z } from 'zod';
import type { EmailTested } from '#platform/mail/view.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import type { Answer } from '../store/twin.ts';
import { withEmails } from './twin.ts';

/** `appctl email test --to EMAIL`: ends with 9 when the mail server did not take it. */
export function testEmail(cli: Cli): Promise<number> {
  const to = cli.option('to');
  return withEmails(cli, async (desk) => {
    const { data } = await desk.post<Answer<z.output<typeof EmailTested>>>('settings/email-test', { to });
    await cli.out.value(data, (paint) =>
      data.sent
        ? `${paint('green', 'sent')} to ${to}: ${data.response}`
        : `${paint('red', 'not sent')} to ${to}: ${data.error}`,
    );
    if (!data.sent) cli.next('appctl settings list --group email');
    return data.sent ? exits.done : exits.unreachable;
  });
}
