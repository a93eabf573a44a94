import type { Ctx } from '#kernel/context.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';

const flags = { slug: '--slug', name: '--name', hostnames: '--hostname', defaultKeyFormatId: '--key-format' };

/** `appctl tenant create`. */
export function createTenant(cli: Cli): Promise<void> {
  const hostnames = cli.list('hostname');
  const input = { slug: cli.required('slug'), name: cli.required('name'), hostnames: [...hostnames] };
  return withLocal(cli, async ({ ctx }) => {
    const tenant = await changeOrPlan(cli, ctx, (ctx) =>
      namingFlags(flags, () => tenants.create(ctx, input)),
    );
    await writeCard(cli, planned(cli, tenant));
    if (!cli.dryRun) cli.next(`appctl product create --tenant ${tenant.slug} --name NAME --slug SLUG`);
  });
}

/** `appctl tenant update TENANT`. */
export function updateTenant(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const input = await fieldsGiven(cli, ctx);
    if (Object.keys(input).length === 0) throw usageError('nothing to change', 'appctl tenant update --help');
    const tenant = await changeOrPlan(cli, ctx, (ctx) =>
      namingFlags(flags, () => tenants.update(ctx, cli.argument('tenant'), input)),
    );
    await writeCard(cli, planned(cli, tenant));
    noteChange(cli, `changed ${Object.keys(input).join(', ')} of ${tenant.slug}`);
  });
}

async function fieldsGiven(cli: Cli, ctx: Ctx): Promise<tenants.TenantUpdateInput> {
  const cleared = clearedFields(cli, flags);
  const format = cli.option('key-format');
  const input: tenants.TenantUpdateInput = {};
  const [slug, name, hostnames] = [cli.option('slug'), cli.option('name'), cli.list('hostname')];
  if (slug !== undefined) input.slug = slug;
  if (name !== undefined) input.name = name;
  if (hostnames.length > 0) input.hostnames = [...hostnames];
  if ('hostnames' in cleared) input.hostnames = [];
  if ('defaultKeyFormatId' in cleared) input.defaultKeyFormatId = null;
  if (format !== undefined) input.defaultKeyFormatId = await formatId(cli, ctx, format);
  return input;
}

/** The key format belongs to the tenant that is changed, not to the one that the command line acts for. */
async function formatId(cli: Cli, ctx: Ctx, format: string): Promise<string> {
  const { id } = await tenants.get(ctx, cli.argument('tenant'));
  return (await keyFormats.get(ctx.with({ tenantId: id }), format)).id;
}

/** `appctl tenant suspend TENANT`. */
export function suspendTenant(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { slug } = await tenants.get(ctx, cli.argument('tenant'));
    await cli.confirm({ action: `close tenant ${slug}: its API keys will answer 403`, name: slug });
    const tenant = await changeOrPlan(cli, ctx, (ctx) => tenants.suspend(ctx, slug));
    await writeCard(cli, planned(cli, tenant));
    noteChange(cli, `suspended ${slug}; appctl tenant resume ${slug} opens it again`);
  });
}

/** `appctl tenant resume TENANT`. */
export function resumeTenant(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const tenant = await changeOrPlan(cli, ctx, (ctx) => tenants.reinstate(ctx, cli.argument('tenant')));
    await writeCard(cli, planned(cli, tenant));
    noteChange(cli, `${tenant.slug} is open`);
  });
}
