import { systemClock } from '#kernel/clock.ts';
import type { IntegrationUpdateInput } from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { givenSecret, integrationFlags, type MadeIntegration, makeSecret, refuseToShow } from './secret.ts';
import { integrationOf, withIntegrations } from './twin.ts';
import { integrationLines, integrationView } from './view.ts';

/** `appctl integration update INTEGRATION`. */
export async function updateIntegration(cli: Cli): Promise<void> {
  const input = await changesAsked(cli);
  if (Object.keys(input).length === 0)
    throw usageError('nothing to change', 'appctl integration update --help');
  await withIntegrations(cli, async (desk) => {
    const before = await integrationOf(desk, cli.argument('integration'));
    const after = await makeSecret(cli, {
      isMadeHere: input.generateSecret === true,
      mappings: before.mappings,
      make: (options) =>
        namingFlags(integrationFlags, () =>
          desk.patch<MadeIntegration>(at`integrations/${before.id}`, input, options),
        ),
    });
    noteChange(cli, `updated ${after.name}`);
    const isReplaced = input.signingSecret !== undefined || input.generateSecret === true;
    if (isReplaced) noteOverlap(cli, before.previousSecretUntil, after.previousSecretUntil);
  });
}

/** How long the old secret is still accepted. */
function noteOverlap(cli: Cli, before: string | null, after: string | null): void {
  if (cli.json || after === null) return;
  if (before !== null && before !== after)
    cli.warn('this is the second change within a day: the secret before the last one is no longer accepted');
  cli.note(
    `The old secret is accepted until ${humanTime(after, systemClock.epochMs())}; by then the processor must have the new one.`,
  );
}

async function changesAsked(cli: Cli): Promise<IntegrationUpdateInput> {
  const signingSecret = await givenSecret(cli);
  if (!cli.flag('generate-secret')) refuseToShow(cli);
  const isSwitched = cli.flag('enable') || cli.flag('disable');
  const values = {
    name: cli.option('name'),
    notificationUrl: cli.option('notification-url'),
    signingSecret,
    generateSecret: cli.flag('generate-secret') || undefined,
    enabled: isSwitched ? cli.flag('enable') : undefined,
    ...clearedFields(cli, { notificationUrl: '--notification-url' }),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** `appctl integration delete INTEGRATION`; the answer is the integration that is gone. */
export const deleteIntegration = (cli: Cli): Promise<void> =>
  withIntegrations(cli, async (desk) => {
    const found = await integrationOf(desk, cli.argument('integration'));
    const view = integrationView(found);
    const count = view.mappings.length;
    await cli.confirm({
      action: `delete the integration ${found.name} (${found.id}) and its ${count === 1 ? 'mapping' : `${count} mappings`}; purchases that its processor reports after that create no licenses`,
    });
    await desk.delete(at`integrations/${found.id}`);
    await cli.out.value(planned(cli, view), card(integrationLines(view)));
    noteChange(cli, `deleted ${found.name}`);
  });
