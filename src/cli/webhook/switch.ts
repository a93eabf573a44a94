import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { writeWebhook } from './view.ts';

/** `appctl webhook enable ID`. */
export function enableWebhook(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const id = cli.argument('id');
    const before = await webhooks.get(ctx, licenseWebhooks, id);
    const webhook = await webhooks.enable(ctx, licenseWebhooks, id, { dryRun: cli.dryRun });
    await writeWebhook(cli, webhook);
    noteChange(cli, before.enabled ? `${webhook.name} was enabled already` : `enabled ${webhook.name}`);
    if (cli.dryRun || before.disabledAt === null) return;
    cli.note('What happened meanwhile is not sent. To send what failed before:');
    cli.next(`appctl webhook replay --webhook ${id} --failed --since 24h`);
  });
}

/** `appctl webhook disable ID [--reason TEXT]`. */
export function disableWebhook(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const id = cli.argument('id');
    const before = await webhooks.get(ctx, licenseWebhooks, id);
    const options = { dryRun: cli.dryRun, note: cli.option('reason') };
    const webhook = await namingFlags({ note: '--reason' }, () =>
      webhooks.disable(ctx, licenseWebhooks, id, options),
    );
    await writeWebhook(cli, webhook);
    noteChange(cli, before.enabled ? `disabled ${webhook.name}` : `${webhook.name} was disabled already`);
    if (!cli.dryRun) cli.next(`appctl webhook enable ${id}`);
  });
}

/** `appctl webhook delete ID`. */
export function deleteWebhook(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const id = cli.argument('id');
    const { name, url } = await webhooks.get(ctx, licenseWebhooks, id);
    await cli.confirm({ action: `delete the webhook ${name} to ${url} and the log of its deliveries` });
    await webhooks.remove(ctx, licenseWebhooks, id, { dryRun: cli.dryRun });
    const answer = planned(cli, {
      ok: true as const,
      action: 'deleted' as const,
      id,
      changed: true as const,
    });
    await cli.out.value(answer, () => `${id} ${cli.dryRun ? 'would be deleted' : 'is gone'}`);
    noteChange(cli, `deleted ${name}`);
  });
}
