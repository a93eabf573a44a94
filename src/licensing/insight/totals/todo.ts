import { allows } from '#kernel/actor.ts';
import type { Waiting } from '#kernel/capability.ts';
import { addSeconds, SECONDS_PER_DAY, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { counted } from '#kernel/counts.ts';
import type { Selection } from '#kernel/db/selection/spec.ts';
import { unmappedByIntegration } from '#licensing/purchases/inbox/index.ts';
import { seesWholeInstallation } from '#platform/admin/index.ts';
import { type Findings, knownFindings, lastFindings } from '#platform/health/index.ts';
import { jobRows, taskRows } from '#platform/jobs/index.ts';
import { webhookRows } from '#platform/webhooks/index.ts';
import { countExpiring, ownLicenses } from './queries.ts';

const MOST_INTEGRATIONS = 5;
/** Older failures are history. */
const RECENT_DAYS = 7;

/**
 * What waits for the actor, of what it may see: each is the count of a list, and leads to that list.
 *
 * @param ending licenses that end within 30 days; 0 for whoever may not see them
 */
export const todo = (ctx: Ctx, ending: number): Promise<Waiting[]> =>
  todoWith(ctx, ending, () => knownFindings(ctx, systemClock.monotonicMs()));

async function todoWith(ctx: Ctx, ending: number, findings: () => Promise<Findings>): Promise<Waiting[]> {
  return [
    ...said(ending, '/admin/licenses?status=ACTIVE&expiring=30d', (n) =>
      n === 1 ? '1 license expires within 30 days' : `${counted(n, 'license')} end within 30 days`,
    ),
    ...(allows(ctx.actor, 'licensing:read') ? await ofPurchases(ctx) : []),
    ...(await ofRuns(ctx)),
    ...(seesSystem(ctx) ? ofChecks(await findings()) : []),
  ];
}

const seesSystem = ({ actor }: Ctx): boolean => allows(actor, 'system:read') && seesWholeInstallation(actor);

async function ofPurchases(ctx: Ctx): Promise<Waiting[]> {
  const off = { enabled: 'false' };
  const disabled = await countOf(ctx, webhookRows('license'), off);
  const unmapped = await unmappedByIntegration(ctx, MOST_INTEGRATIONS);
  return [
    ...said(disabled, `/admin/webhooks?${new URLSearchParams(off)}`, (n) =>
      n === 1 ? '1 webhook is disabled' : `${counted(n, 'webhook')} are disabled`,
    ),
    ...unmapped.map(({ configId, name, reason, count }) => ({
      words: `${name}: ${counted(count, 'event')} with products that have no mapping`,
      href: `/admin/integrations/${encodeURIComponent(configId)}/events?${new URLSearchParams({ reason })}`,
    })),
  ];
}

/** What checks of the installation found, the worst first; advice last. */
const ofChecks = ({ failed, warned, advised }: Findings): Waiting[] => [
  ...said(
    failed.length,
    '/admin/system?state=fail',
    (n) => `${counted(n, 'system check')} failed: ${named(failed)}`,
  ),
  ...said(
    warned.length,
    '/admin/system?state=warn',
    (n) => `${counted(n, 'system check')} ${n === 1 ? 'reports' : 'report'} a warning: ${named(warned)}`,
  ),
  ...said(
    advised.length,
    '/admin/system?state=warn',
    (n) => `${counted(n, 'recommendation')}: ${named(advised)}`,
  ).map((one) => ({ ...one, isAdvice: true as const })),
];

const MOST_NAMED = 3;

const named = (titles: readonly string[]): string => {
  const more = titles.length - MOST_NAMED;
  return `${titles.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** As `todo`, for every page: it counts the licenses itself, and waits for no check. */
export async function waiting(ctx: Ctx): Promise<Waiting[]> {
  const maySee = allows(ctx.actor, 'licensing:read');
  const ending = maySee ? await countExpiring(ctx, ownLicenses(ctx)) : 0;
  return todoWith(ctx, ending, async () => lastFindings(ctx));
}

/** Jobs are those of the whole installation, tasks those of the tenant. */
async function ofRuns(ctx: Ctx): Promise<Waiting[]> {
  const maySeeJobs = seesSystem(ctx);
  const failedJobs = { state: 'failed' };
  const jobs = maySeeJobs ? await countOf(ctx, jobRows, failedJobs) : 0;
  const since = addSeconds(ctx.now(), -RECENT_DAYS * SECONDS_PER_DAY);
  const failedTasks = { status: 'FAILED', startedFrom: `${since.slice(0, 10)}T00:00:00Z` };
  return [
    ...said(
      jobs,
      `/admin/system/jobs?${new URLSearchParams(failedJobs)}`,
      (n) => `${counted(n, 'job')} failed when last run`,
    ),
    ...said(
      await countOf(ctx, taskRows, failedTasks),
      `/admin/tasks?${new URLSearchParams(failedTasks)}`,
      (n) => `${counted(n, 'task')} failed within ${RECENT_DAYS} days`,
    ),
  ];
}

/** How many rows a list has that is narrowed as an address would. */
async function countOf<Row>(
  ctx: Ctx,
  rows: Selection<Row>,
  asked: Readonly<Record<string, string>>,
): Promise<number> {
  const filters = Object.fromEntries(
    Object.entries(asked).map(([name, value]) => [name, rows.parameters[name]?.parse(value)]),
  );
  return (await rows.page(ctx, { filters, offset: 0, limit: 1 })).total;
}

const said = (count: number, href: string, words: (count: number) => string): Waiting[] =>
  count > 0 ? [{ words: words(count), href }] : [];
