import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as portability from '#licensing/moving/portability/index.ts';
import { noteExport } from '#platform/audit/index.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { newPassphrase, sealed } from '../sealing.ts';
import { pastAsked } from '../time-asked.ts';
import { type ExportAsked, withFetched } from './fetch.ts';
import { fileAsked, formatAsked, requireFit, writeExport } from './stream.ts';
import { withTransfers } from './twin.ts';

/** `appctl export all`: the native format, of every tenant unless one is named. */
export async function exportAll(cli: Cli): Promise<void> {
  requireFit(cli, 'jsonl');
  const asked = await prepare(cli);
  const { entries } = await cli.config();
  const allTenants = entries.tenant.source === 'default';
  await withTransfers(cli, async (desk) => {
    if (desk.local === null) return fetchExport(cli, desk, { ...bodyOf(asked, 'jsonl'), allTenants }, asked);
    const { ctx } = desk.local;
    const tenantIds = allTenants ? null : [ctx.tenantId];
    if (allTenants) tellTenants(cli, await portability.tenantSlugs(ctx, null));
    const rows: Record<string, number> = {};
    const texts = portability.exportNative(ctx, { ...asked, tenantIds }, rows);
    const noted = { what: 'installation', format: 'native', asked, rows };
    await write(cli, asked, 'native', rows, noting(ctx, noted, texts));
  });
}

/** Who holds several tenants must see that a file has all of them. */
function tellTenants(cli: Cli, slugs: readonly string[]): void {
  if (slugs.length > 1) cli.note(`exporting ${slugs.length} tenants: ${slugs.join(', ')}`);
}

/** The kinds that have a file of their own, with the names of their resources. */
const targets = {
  license: 'licenses',
  customer: 'customers',
  product: 'products',
  policy: 'policies',
} as const satisfies Partial<Record<portability.Kind, string>>;

/** `appctl export licenses|customers|products|policies`. */
export const exportKind =
  (kind: keyof typeof targets) =>
  async (cli: Cli): Promise<void> => {
    const format = formatAsked<'csv' | 'jsonl'>(cli);
    const asked = await prepare(cli);
    await withTransfers(cli, async (desk) => {
      if (desk.local === null)
        return fetchExport(cli, desk, { ...bodyOf(asked, format), entities: [kind] }, asked);
      const { ctx } = desk.local;
      const own = { ...asked, tenantIds: [ctx.tenantId] };
      const rows: Record<string, number> = {};
      const texts =
        format === 'csv'
          ? portability.exportCsv(ctx, kind, own, rows)
          : portability.exportNative(ctx, { ...own, kinds: [kind] }, rows);
      await write(cli, asked, format, rows, noting(ctx, { what: targets[kind], format, asked, rows }, texts));
    });
  };

/** What a server is asked for; the passphrase stays here. */
const bodyOf = ({ since, includeKeys }: Prepared, format: 'csv' | 'jsonl') => ({
  format,
  ...(since !== undefined && { filter: { since } }),
  ...(includeKeys && { includeKeys }),
});

/** Has a server write the file, and takes it over. */
async function fetchExport(cli: Cli, desk: Desk, body: ExportAsked, asked: Prepared): Promise<void> {
  const format = body.entities === undefined ? 'native' : body.format;
  await withFetched(cli, desk, body, async ({ tenants, file: { rows } }, texts) => {
    if (body.allTenants) tellTenants(cli, tenants);
    await write(cli, asked, format, rows, texts);
  });
}

interface Prepared {
  file: string | undefined;
  since: string | undefined;
  includeKeys: boolean;
  passphrase: Awaited<ReturnType<typeof newPassphrase>>;
}

/** Reads the options and asks before keys leave the program; nothing is opened yet. */
async function prepare(cli: Cli): Promise<Prepared> {
  const prepared: Prepared = {
    file: fileAsked(cli),
    since: pastAsked(cli, 'since', isoTime(systemClock.epochMs()), 'start'),
    includeKeys: cli.declares('include-keys') && cli.flag('include-keys'),
    passphrase: await newPassphrase(cli),
  };
  if (prepared.passphrase !== undefined && prepared.file === undefined && cli.json) {
    throw usageError('--json cannot be used here: stdout carries the encrypted file', 'use --out FILE');
  }
  if (prepared.includeKeys) {
    const where = prepared.file ?? 'stdout';
    const how = prepared.passphrase === undefined ? ' unencrypted' : '';
    await cli.confirm({ action: `write the license keys of the customers${how} to ${where}` }, 'moderate');
  }
  return prepared;
}

interface Noted {
  what: string;
  format: string;
  asked: Prepared;
  rows: Record<string, number>;
}

/** Leaves in the audit log what was taken away, also when the reader leaves before the end. */
async function* noting(ctx: Ctx, { asked, rows, ...about }: Noted, texts: AsyncIterable<string>) {
  const { since, includeKeys, passphrase } = asked;
  try {
    yield* texts;
  } finally {
    const filter = { since, keys: includeKeys, encrypted: passphrase !== undefined };
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    await noteExport(ctx, { ...about, filter }, total);
  }
}

async function write(
  cli: Cli,
  { file, includeKeys, passphrase }: Prepared,
  format: string,
  rows: Record<string, number>,
  texts: AsyncIterable<string>,
): Promise<void> {
  const encrypted = passphrase !== undefined;
  await writeExport(cli, file, sealed(texts, passphrase), () => {
    const counts = Object.entries(rows).map(([kind, count]) => `${kind.replace('_', ' ')} ${count}`);
    const keys = includeKeys ? ('included' as const) : ('omitted' as const);
    return {
      value: { file, format, rows, keys, encrypted },
      human: `wrote ${file}: ${counts.join(', ') || 'nothing'}; keys ${keys}${encrypted ? ', encrypted' : ''}`,
    };
  });
}

/** Kept apart from `exportKind`, because a command names one function. */
export const exportLicenses = exportKind('license');
export const exportCustomers = exportKind('customer');
export const exportProducts = exportKind('product');
export const exportPolicies = exportKind('policy');
