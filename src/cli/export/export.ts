import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as portability from '#licensing/moving/portability/index.ts';
import { noteExport } from '#platform/audit/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { newPassphrase, sealed } from '../sealing.ts';
import { pastAsked } from '../time-asked.ts';
import { csvPages, fileAsked, formatAsked, requireFit, writeExport } from './stream.ts';

/** `appctl export all`: the native format, of every tenant unless one is named. */
export async function exportAll(cli: Cli): Promise<void> {
  requireFit(cli, 'jsonl');
  const asked = await prepare(cli);
  const { entries } = await cli.config();
  const isOneTenant = entries.tenant.source !== 'default';
  await withLocal(cli, async ({ ctx }) => {
    const tenantIds = isOneTenant ? [ctx.tenantId] : null;
    if (!isOneTenant) {
      const slugs = await portability.tenantSlugs(ctx, null);
      if (slugs.length > 1) cli.note(`exporting ${slugs.length} tenants: ${slugs.join(', ')}`);
    }
    const rows: Record<string, number> = {};
    const texts = portability.exportNative(ctx, { ...asked, tenantIds }, rows);
    await write(
      cli,
      asked,
      'native',
      rows,
      noting(ctx, { what: 'installation', format: 'native', asked, rows }, texts),
    );
  });
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
    const format = formatAsked(cli);
    const asked = await prepare(cli);
    await withLocal(cli, async ({ ctx }) => {
      const own = { ...asked, tenantIds: [ctx.tenantId] };
      const rows: Record<string, number> = {};
      const texts =
        format === 'csv'
          ? csvPages(
              portability.tableColumns(kind, asked),
              counting(kind, rows, portability.exportTable(ctx, kind, own)),
            )
          : portability.exportNative(ctx, { ...own, kinds: [kind] }, rows);
      await write(cli, asked, format, rows, noting(ctx, { what: targets[kind], format, asked, rows }, texts));
    });
  };

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
    throw usageError('--json does not fit: stdout holds a sealed file', 'write it with --out FILE');
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

async function* counting<T extends readonly unknown[]>(
  kind: portability.Kind,
  rows: Record<string, number>,
  pages: AsyncIterable<T>,
): AsyncGenerator<T> {
  rows[kind] = 0;
  for await (const page of pages) {
    rows[kind] = (rows[kind] ?? 0) + page.length;
    yield page;
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
