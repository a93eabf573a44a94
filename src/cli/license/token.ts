import { systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { IssuedToken } from '#licensing/licenses/offline-tokens/index.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { humanTime } from '../frame/times.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { drawQr } from '../qr.ts';
import { idAsked } from './view.ts';

const flags = { machineId: '--machine', ttlDays: '--days' };

/** `appctl license token ID --machine M [--days N] [--activate] [--qr]`. */
export function issueToken(cli: Cli): Promise<void> {
  const id = idAsked(cli);
  const body = {
    machineId: cli.required('machine'),
    ttlDays: cli.integer('days'),
    activate: cli.flag('activate'),
  };
  return withDesk(cli, twins, async (desk) => {
    const issued = await namingFlags(flags, () =>
      withCure(() => desk.post<TokenText>(at`licenses/${id}/offline-token`, body)),
    );
    const { token, expiresAt } = issued;
    await cli.out.value(planned(cli, issued), () => token ?? '');
    noteChange(
      cli,
      `offline token for ${body.machineId}, valid until ${humanTime(expiresAt, systemClock.epochMs())}`,
    );
    if (cli.flag('qr') && token !== null) await drawQr(cli, 'the token', token);
  });
}

/** A dry run tells the end but makes no token: one that nobody recorded must not exist. */
interface TokenText {
  readonly token: string | null;
  readonly expiresAt: string;
}

const twins: Twins = async () =>
  (await import('#licensing/licenses/offline-tokens/admin-endpoints.ts')).offlineTokenAdminEndpoints;

/** Who reads that a machine is not activated wants to know that this command can do that, too. */
async function withCure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_ACTIVATED') throw error;
    const details = { ...error.details, hint: 'add --activate to bind the license to the machine first' };
    throw new AppError(error.code, error.status, error.message, { details });
  }
}

const columns: readonly Column<IssuedToken>[] = [
  { key: 'id' },
  { key: 'activationId', title: 'activation' },
  { key: 'issuedAt', title: 'issued', time: true },
  { key: 'expiresAt', title: 'until', time: true },
  { key: 'issuedBy', title: 'by' },
];

/** `appctl license tokens ID`. */
export function listTokens(cli: Cli): Promise<void> {
  const id = idAsked(cli);
  return withDesk(cli, twins, async (desk) => {
    await cli.out.page(
      await desk.get<DeskPage<IssuedToken>>(at`licenses/${id}/offline-tokens`, pageAsked(cli)),
      columns,
    );
  });
}
