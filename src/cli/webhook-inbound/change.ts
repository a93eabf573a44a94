import { systemClock } from '#kernel/clock.ts';
import {
  getIntegration,
  type IntegrationUpdateInput,
  removeIntegration,
  updateIntegration,
} from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { humanTime } from '../frame/times.ts';
import { withLocal } from '../open.ts';
import { configFlags, givenSecret, makeSecret, refuseToShow } from './create.ts';
import { type ConfigView, configLines, viewsOf } from './view.ts';

/** `appctl webhook inbound update CONFIG`. */
export async function updateInbound(cli: Cli): Promise<void> {
  const input = await changesAsked(cli);
  const changed = Object.keys(input);
  if (changed.length === 0) throw usageError('nothing to change', 'appctl webhook inbound update --help');
  await withLocal(cli, async ({ ctx, config }) => {
    const before = await getIntegration(ctx, cli.argument('config'));
    const { config: after } = await makeSecret(cli, ctx, config, (ctx) =>
      namingFlags(configFlags, () => updateIntegration(ctx, cli.argument('config'), input)),
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

/** `appctl webhook inbound delete CONFIG`; the answer is the configuration that is gone. */
export const deleteInbound = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx, config }) => {
    const found = await getIntegration(ctx, cli.argument('config'));
    const [view] = (await viewsOf(ctx, config, [found])) as [ConfigView];
    const count = view.mappings.length;
    await cli.confirm({
      action: `delete the inbound configuration ${found.name} (${found.id}) and its ${count === 1 ? 'mapping' : `${count} mappings`}; purchases that its processor reports from then on make no licenses`,
    });
    await changeOrPlan(cli, ctx, (ctx) => removeIntegration(ctx, found.id));
    await cli.out.value(planned(cli, view), card(configLines(view)));
    noteChange(cli, `deleted ${found.name}`);
  });
