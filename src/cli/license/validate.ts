import type { ExplainedValidation } from '#licensing/licenses/validation/view.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import { curesOf, reasonOf, traceLines } from '../explain.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Paint } from '../frame/io.ts';
import { wrapped } from '../frame/wrap.ts';
import { refuseWholeKey } from './view.ts';

const flags = {
  licenseKey: 'the license key',
  licenseId: 'ID',
  machineId: '--machine',
  appVersion: '--app-version',
};

const twins: Twins = async () =>
  (await import('#licensing/licenses/validation/admin-endpoints.ts')).validationAdminEndpoints;

/** `appctl license validate`: the answer of the public endpoint, its key masked, with the trace of the decision. */
export async function validateLicense(cli: Cli): Promise<number> {
  const licenseId = cli.optionalArgument('id') ?? cli.option('license');
  refuseWholeKey('ID', licenseId);
  if (licenseId !== undefined && (cli.given('key-file') || cli.given('key-stdin')))
    throw usageError('name the license either by ID or by its key');
  const typed =
    licenseId === undefined ? await cli.secret('key', { label: 'license key', optional: true }) : undefined;
  if (licenseId === undefined && typed === undefined)
    throw usageError('ID, --key-stdin or --key-file is required');
  const asked = { machineId: cli.required('machine'), appVersion: cli.option('app-version') };
  return withDesk(cli, twins, async (desk) => {
    const answer = await namingFlags(flags, async () => {
      const body = { ...asked, licenseKey: typed?.value, licenseId };
      if (!desk.byApiKey) return desk.post<ExplainedValidation>('licenses/validate', body);
      const { validateByKey } = await import('./by-api-key.ts');
      return validateByKey(desk.byApiKey, body);
    });
    const shown = { success: true, ...answer };
    await cli.out.value(shown, explanation(shown, cli.io.stdout));
    if (licenseId !== undefined) cli.next(...curesOf(answer.code, licenseId));
    return answer.valid ? exits.done : exits.conflict;
  });
}

type Shown = ExplainedValidation & { success: boolean };

const explanation =
  ({ valid, code, explain }: Shown, stream: NodeJS.WriteStream) =>
  (paint: Paint): string => {
    const verdict = paint(valid ? 'green' : 'red', valid ? 'valid' : 'not valid');
    const reason = reasonOf(String(code)) || 'Every rule is met.';
    const said = wrapped(stream, `${verdict} (${code}): ${reason}`);
    return [said, ...traceLines(explain, paint, stream)].join('\n');
  };
