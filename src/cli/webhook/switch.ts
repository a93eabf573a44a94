import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import type { Webhook } from './answers.ts';
import { webhookOf, withWebhook } from './twin.ts';
import { writeWebhook } from './view.ts';

/** `appctl webhook enable ID`. */
export function enableWebhook(cli: Cli): Promise<void> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const id = cli.argument('id');
    const before = await webhookOf(desk, id);
    const { webhook } = await desk.post<{ webhook: Webhook }>(at`webhooks/${id}/enable`);
    await writeWebhook(cli, webhook);
    noteChange(cli, before.enabled ? `${webhook.name} was enabled already` : `enabled ${webhook.name}`);
    if (cli.dryRun || before.disabledAt === null) return;
    cli.note('What happened meanwhile is not sent. To send what failed before:');
    cli.next(`appctl webhook replay --webhook ${id} --failed --since 24h`);
  });
}

/** `appctl webhook disable ID [--reason TEXT]`. */
export function disableWebhook(cli: Cli): Promise<void> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const id = cli.argument('id');
    const before = await webhookOf(desk, id);
    const { webhook } = await namingFlags({ note: '--reason' }, () =>
      desk.post<{ webhook: Webhook }>(at`webhooks/${id}/disable`, { note: cli.option('reason') }),
    );
    await writeWebhook(cli, webhook);
    noteChange(cli, before.enabled ? `disabled ${webhook.name}` : `${webhook.name} was disabled already`);
    if (!cli.dryRun) cli.next(`appctl webhook enable ${id}`);
  });
}

/** `appctl webhook delete ID`. */
export function deleteWebhook(cli: Cli): Promise<void> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const id = cli.argument('id');
    const { name, url } = await webhookOf(desk, id);
    await cli.confirm({ action: `delete the webhook ${name} to ${url} and the log of its deliveries` });
    await desk.delete(at`webhooks/${id}`);
    const answer = planned(cli, {
      ok: true as const,
      action: 'deleted' as const,
      id,
      changed: true as const,
    });
    await cli.out.value(answer, () => `${id} ${cli.dryRun ? 'would be deleted' : 'is deleted'}`);
    noteChange(cli, `deleted ${name}`);
  });
}
