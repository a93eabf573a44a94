import type { KeyFormatView } from '#licensing/catalog/key-formats/view.ts';
import type { TenantUpdateInput } from '#platform/tenants/index.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at, type Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { type OneTenant, tenantOf, withTenants } from './twin.ts';

const flags = { slug: '--slug', name: '--name', hostnames: '--hostname', defaultKeyFormatId: '--key-format' };

/** `appctl tenant create`. */
export function createTenant(cli: Cli): Promise<void> {
  const input = { slug: cli.required('slug'), name: cli.required('name'), hostnames: cli.list('hostname') };
  return withTenants(cli, async (desk) => {
    const { tenant } = await namingFlags(flags, () => desk.post<OneTenant>('tenants', input));
    await writeCard(cli, planned(cli, tenant));
    if (!cli.dryRun) cli.next(`appctl product create --tenant ${tenant.slug} --name NAME --slug SLUG`);
  });
}

/** `appctl tenant update TENANT`. */
export async function updateTenant(cli: Cli): Promise<void> {
  const format = cli.option('key-format');
  const given = fieldsGiven(cli);
  if (Object.keys(given).length === 0 && format === undefined)
    throw usageError('nothing to change', 'appctl tenant update --help');
  await withTenants(cli, async (desk) => {
    const named = cli.argument('tenant');
    const defaultKeyFormatId = format === undefined ? undefined : await formatId(desk, named, format);
    const input = { ...given, ...(defaultKeyFormatId !== undefined && { defaultKeyFormatId }) };
    const { tenant } = await namingFlags(flags, () => desk.patch<OneTenant>(at`tenants/${named}`, input));
    await writeCard(cli, planned(cli, tenant));
    noteChange(cli, `changed ${Object.keys(input).join(', ')} of ${tenant.slug}`);
  });
}

function fieldsGiven(cli: Cli): TenantUpdateInput {
  const cleared = clearedFields(cli, flags);
  const [slug, name, hostnames] = [cli.option('slug'), cli.option('name'), cli.list('hostname')];
  return {
    ...(slug !== undefined && { slug }),
    ...(name !== undefined && { name }),
    ...(hostnames.length > 0 && { hostnames: [...hostnames] }),
    ...('hostnames' in cleared && { hostnames: [] }),
    ...('defaultKeyFormatId' in cleared && { defaultKeyFormatId: null }),
  };
}

/** The key format belongs to the tenant that is changed, not to the one that the command line acts for. */
async function formatId(desk: Desk, tenant: string, format: string): Promise<string> {
  const of = await tenantOf(desk, tenant);
  const path = at`key-formats/${format}`;
  return (await desk.get<{ keyFormat: KeyFormatView }>(path, undefined, of)).keyFormat.id;
}

/** `appctl tenant suspend TENANT`. */
export function suspendTenant(cli: Cli): Promise<void> {
  return withTenants(cli, async (desk) => {
    const { slug } = await tenantOf(desk, cli.argument('tenant'));
    await cli.confirm({ action: `suspend tenant ${slug}: its API keys will get 403`, name: slug });
    const { tenant } = await desk.post<OneTenant>(at`tenants/${slug}/suspend`);
    await writeCard(cli, planned(cli, tenant));
    noteChange(cli, `suspended ${slug}; appctl tenant resume ${slug} opens it again`);
  });
}

/** `appctl tenant resume TENANT`. */
export function resumeTenant(cli: Cli): Promise<void> {
  return withTenants(cli, async (desk) => {
    const { tenant } = await desk.post<OneTenant>(at`tenants/${cli.argument('tenant')}/resume`);
    await writeCard(cli, planned(cli, tenant));
    noteChange(cli, `${tenant.slug} is open`);
  });
}
