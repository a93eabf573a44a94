import type { Impact } from '#licensing/insight/policies/index.ts';
import { at } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { changesAsked, policyFlags } from '../policy/change.ts';
import { oneLine } from '../printed-text.ts';

const twins = async () =>
  (await import('#licensing/insight/simulator/admin-endpoints.ts')).simulatorAdminEndpoints;

/** The fields stand inside the body's `changes`. */
const changeFlags = {
  ...policyFlags,
  ...Object.fromEntries(Object.entries(policyFlags).map(([field, flag]) => [`changes.${field}`, flag])),
};

/** `appctl policy impact POLICY`: what `policy update` with the same flags would do to the answers of validate. */
export async function showImpact(cli: Cli): Promise<void> {
  const changes = changesAsked(cli);
  await withDesk(cli, twins, async (desk) => {
    const found = await namingFlags(changeFlags, () =>
      desk.post<Impact>(at`policies/${cli.argument('policy')}/impact`, { changes }),
    );
    await cli.out.value(found, (paint) => explanation(found, paint));
  });
}

function explanation(found: Impact, paint: Paint): string {
  const { affectedLicenses, wouldChangeAnswer, transitions, samples, truncated } = found;
  const width = Math.max(0, ...transitions.map(({ count }) => String(count).length));
  const lines = [
    `${counted(affectedLicenses, 'license')} ${affectedLicenses === 1 ? 'is' : 'are'} under this policy; ` +
      `${paint('bold', counted(wouldChangeAnswer, 'answer'))} of validate would change.`,
    ...transitions.map(({ from, to, count }) => `  ${String(count).padStart(width)}  ${from} → ${to}`),
  ];
  if (samples.length > 0) lines.push('for example');
  for (const { licenseId, keyPrefix, machineId, before, after } of samples)
    lines.push(`  ${licenseId}  ${keyPrefix}  ${oneLine(machineId ?? 'no machine')}  ${before} → ${after}`);
  if (truncated)
    lines.push(paint('yellow', 'There are more than 100,000: only the first 100,000 were checked.'));
  return lines.join('\n');
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
