/** Commands with a license API key: the public operations of the license API (cli.md section 1.7). */
import { maskKey } from '#licensing/catalog/key-formats/index.ts';
import type { LicenseCreatedReply } from '#licensing/licenses/licenses/view.ts';
import type { ExplainedValidation } from '#licensing/licenses/validation/view.ts';
import { workOnEach, writeBatch } from '../batch.ts';
import { writeCard } from '../card.ts';
import type { ByApiKey } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { type CliError, usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { keepingSecret, noteLicenseKey, showsLicenseKey } from '../secret-file.ts';
import { namingMintFlags } from './mint-input.ts';

interface Answer {
  readonly license: LicenseCreatedReply;
  readonly idempotent?: true;
  readonly idempotentMismatch?: true;
}

/** Flags of mint that a public body has no field for. */
const STAFF_ONLY = ['key-file', 'key-stdin', 'key-env', 'force', 'count'] as const;

/** `appctl license mint` with an API key. @throws usage error (2) for what only staff may ask for */
export async function mintByKey(
  cli: Cli,
  call: ByApiKey,
  { key: _key, force: _force, ...body }: Readonly<Record<string, unknown>>,
): Promise<number> {
  refuseDryRun(cli);
  const flag = STAFF_ONLY.find((name) => cli.given(name) && !(name === 'force' && cli.given('out')));
  if (flag !== undefined) throw needsStaff(`--${flag}`);
  const name = cli.option('idempotency-key');
  const headers = name === undefined ? undefined : { 'X-Idempotency-Key': name };
  const answer = await keepingSecret(
    cli,
    async (keep) => {
      const made = await namingMintFlags(cli, () => call<Answer>('POST', 'license/create', body, headers));
      keep(made.license.key);
      return made;
    },
    { ownForce: true },
  );
  const { license, idempotent } = answer;
  if (answer.idempotentMismatch && !cli.given('days'))
    cli.warn(`--idempotency-key was used before with other values; ${license.id} keeps those`);
  const isShown = showsLicenseKey(cli);
  await writeCard(cli, { ...shown(license, isShown), ...(idempotent && { idempotent }) });
  noteLicenseKey(cli, license.id, isShown);
  return 0;
}

/** `appctl license revoke ID…` with an API key. */
export const revokeByKey = (
  cli: Cli,
  call: ByApiKey,
  ids: readonly string[],
  reason: string,
): Promise<number> =>
  change(cli, ids, (licenseId) => call<Answer>('POST', 'license/revoke', { licenseId, reason }));

/** `appctl license renew ID… --until T` with an API key, which cannot ask for the end that a license has now. */
export async function renewByKey(
  cli: Cli,
  call: ByApiKey,
  ids: readonly string[],
  validUntil: string | undefined,
): Promise<number> {
  if (validUntil === undefined) throw needsStaff('--days');
  await cli.confirm({ action: `set the end of ${ids.join(', ')} to ${validUntil}` }, 'moderate');
  return change(cli, ids, (licenseId) =>
    namingFlags({ validUntil: '--until' }, () =>
      call<Answer>('POST', 'license/renew', { licenseId, validUntil }),
    ),
  );
}

const columns: readonly Column<ReturnType<typeof shown>>[] = [
  { key: 'id' },
  { key: 'keyMasked', title: 'key' },
  { key: 'product' },
  { key: 'type' },
  { key: 'tier' },
  { key: 'status' },
  { key: 'validUntil', title: 'valid until', time: true },
];

async function change(
  cli: Cli,
  ids: readonly string[],
  work: (id: string) => Promise<Answer>,
): Promise<number> {
  refuseDryRun(cli);
  const one = async (id: string) => shown((await work(id)).license, false);
  if (ids.length > 1) return writeBatch(cli, await workOnEach(cli, ids, one), ids, columns);
  await writeCard(cli, await one(ids[0] as string));
  return 0;
}

/** `appctl license validate` with an API key: the rules behind the answer are told to staff only. */
export async function validateByKey(
  call: ByApiKey,
  { licenseId, ...body }: { licenseId: string | undefined; licenseKey: string | undefined },
): Promise<ExplainedValidation> {
  if (licenseId !== undefined) throw needsStaff('--license');
  const answer = await call<ExplainedValidation & { requestId?: string }>('POST', 'license/validate', body);
  const { requestId: _requestId, ...rest } = answer;
  const license = rest.license && { ...rest.license, key: maskKey(rest.license.key) };
  return { ...rest, license, explain: [] };
}

/** @throws usage error (2): nothing of the public API can be rehearsed */
function refuseDryRun(cli: Cli): void {
  if (cli.dryRun) throw needsStaff('--dry-run');
}

const needsStaff = (flag: string): CliError =>
  usageError(`${flag} needs a login or an admin token (adm_…), and this is an API key`);

function shown({ id, key, ...rest }: LicenseCreatedReply, isShown: boolean) {
  return { id, ...(isShown && { key }), keyMasked: maskKey(key), ...rest };
}
