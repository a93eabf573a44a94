import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { timeAsked } from '../time-asked.ts';
import { featuresAsked, metadataAsked } from './fields.ts';
import { confirmShortening } from './term-change.ts';
import { licenseCard, refuseWholeKey } from './view.ts';

/** Which flag stands for which field. */
const flags = {
  type: '--type',
  tier: '--tier',
  maxActivations: '--max-activations',
  validUntil: '--valid-until',
  features: '--features',
  policyId: '--policy',
  maxVersion: '--max-version',
  maxUses: '--max-uses',
  gracePeriodSeconds: '--grace',
  orderId: '--order-id',
  metadata: '--meta',
  notes: '--notes',
};

const textFields = ['type', 'tier', 'policyId', 'maxVersion', 'orderId', 'notes'] as const;
const numberFields = ['maxActivations', 'maxUses', 'gracePeriodSeconds'] as const;

/** `appctl license update ID …`: the license as it is now, and in `before` what the changed fields were. */
export async function updateLicense(cli: Cli): Promise<void> {
  const input = await given(cli);
  if (Object.keys(input).length === 0) throw usageError('nothing to change', 'appctl license update --help');
  const movesEnd = 'validUntil' in input;
  await changeOne(cli, { names: flags, movesEnd }, async (ctx, id) => {
    const { license, before } = await licenses.update(ctx, id, input as licenses.LicenseUpdateInput);
    return { view: { ...licenses.licenseView(ctx, license), before }, changed: Object.keys(before) };
  });
}

/** Only what was given: everything else stays. */
async function given(cli: Cli): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {
    validUntil: timeAsked(cli, 'valid-until', 'end'),
    features: await featuresAsked(cli),
    metadata: metadataAsked(cli),
  };
  for (const field of textFields) values[field] = cli.option(flags[field].slice(2));
  for (const field of numberFields) values[field] = cli.integer(flags[field].slice(2));
  const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const cleared = clearedFields(cli, flags);
  // Metadata is always there: without entries it is empty.
  return { ...sent, ...cleared, ...('metadata' in cleared && { metadata: {} }) };
}

/** `appctl license transfer ID --to-email E | --to-customer ID`. */
export async function transferLicense(cli: Cli): Promise<void> {
  const [customerEmail, customerId] = [cli.option('to-email'), cli.option('to-customer')];
  if ((customerEmail === undefined) === (customerId === undefined))
    throw usageError('name either --to-email or --to-customer', 'appctl license transfer --help');
  const input = { customerEmail, customerId, keepActivations: cli.flag('keep-activations') };
  const names = { customerEmail: '--to-email', customerId: '--to-customer' };
  await changeOne(cli, { names, movesEnd: false }, async (ctx, id) => {
    const { license, changed } = await licenses.transfer(ctx, id, input);
    return { view: licenses.licenseView(ctx, license), changed: changed ? ['customer'] : [] };
  });
}

/** `appctl license change-policy ID POLICY [--expiry keep|reset]`. */
export async function changeLicensePolicy(cli: Cli): Promise<void> {
  const expiry = cli.option('expiry') === 'reset' ? ('RESET' as const) : ('KEEP' as const);
  const input = { policyId: cli.argument('policy'), expiry };
  const names = { expiry: '--expiry', policyId: 'POLICY' };
  await changeOne(cli, { names, movesEnd: expiry === 'RESET' }, async (ctx, id) => {
    const { license, before } = await licenses.changePolicy(ctx, id, input);
    return { view: licenses.licenseView(ctx, license), changed: Object.keys(before) };
  });
}

interface Outcome {
  view: licenses.LicenseView;
  /** Fields that changed. */
  changed: string[];
}

async function changeOne(
  cli: Cli,
  { names, movesEnd }: { names: Readonly<Record<string, string>>; movesEnd: boolean },
  work: (ctx: Ctx, id: string) => Promise<Outcome>,
): Promise<void> {
  const id = cli.argument('id');
  refuseWholeKey('ID', id);
  await withLocal(cli, async ({ ctx }) => {
    const change = (ctx: Ctx) => namingFlags(names, () => work(ctx, id));
    if (movesEnd) await confirmShortening(cli, ctx, [id], async (ctx) => (await change(ctx)).view);
    const { view, changed } = await changeOrPlan(cli, ctx, change);
    await cli.out.value(planned(cli, view), licenseCard(view));
    if (changed.length > 0) noteChange(cli, `changed ${changed.join(', ')} of ${id}`);
    else if (!cli.json) cli.note(`${id} is so already; nothing was changed`);
  });
}
