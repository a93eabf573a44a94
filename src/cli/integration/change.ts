import { systemClock } from '#kernel/clock.ts';
import type { IntegrationUpdateInput } from '#licensing/purchases/integrations/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { withLocal } from '../open.ts';
import { givenSecret, integrationFlags, makeSecret, refuseToShow } from './create.ts';
import { type IntegrationView, integrationLines, viewsOf } from './view.ts';

/** `appctl integration update INTEGRATION`. */
export async function updateIntegration(cli: Cli): Promise<void> {
  const input = await changesAsked(cli);
  const changed = Object.keys(input);
  if (changed.length === 0) throw usageError('nothing to change', 'appctl integration update --help');
  await withLocal(cli, async ({ ctx, config }) => {
    const before = await integrations.get(ctx, cli.argument('integration'));
    const { config: after } = await makeSecret(cli, ctx, config, (ctx) =>
      namingFlags(integrationFlags, () => integrations.update(ctx, cli.argument('integration'), input)),
    );
    noteChange(cli, `updated ${after.name}`);
    const isReplaced = input.signingSecret !== undefined || input.generateSecret === true;
    if (!isReplaced || cli.json || after.previousUntil === null) return;
    if (before.previousUntil !== null && before.previousUntil !== after.previousUntil)
      cli.warn(
        'this is the second change within a day: the secret before the last one is no longer accepted',
      );
    cli.note(
      `The old secret is accepted until ${humanTime(after.previousUntil, systemClock.epochMs())}; by then the processor must have the new one.`,
    );
  });
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
  withLocal(cli, async ({ ctx, config }) => {
    const found = await integrations.get(ctx, cli.argument('integration'));
    const [view] = (await viewsOf(ctx, config, [found])) as [IntegrationView];
    const count = view.mappings.length;
    await cli.confirm({
      action: `delete the integration ${found.name} (${found.id}) and its ${count === 1 ? 'mapping' : `${count} mappings`}; purchases that its processor reports from then on make no licenses`,
    });
    await changeOrPlan(cli, ctx, (ctx) => integrations.remove(ctx, found.id));
    await cli.out.value(planned(cli, view), card(integrationLines(view)));
    noteChange(cli, `deleted ${found.name}`);
  });
