import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Check, CheckScope } from '#kernel/check.ts';
import { systemClock } from '#kernel/clock.ts';
import { maskEntry } from '#kernel/config/mask.ts';
import { configTable } from '#kernel/config/table.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { localMinute } from '#kernel/local-time.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { lengthText } from '#kernel/time-words.ts';
import { requireWholeInstallation } from '#platform/admin/index.ts';
import { listOpen, lookOutBy } from '#platform/alerts/index.ts';
import { checkEvents, examineBy, rememberFindings } from '#platform/health/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { checks } from './capabilities.ts';
import { categoryOf, type Examined, LAUNCH } from './examine.ts';
import type { Instance } from './instance.ts';
import { serverName } from './server-name.ts';
import type { ServerStatus } from './server-report.ts';
import { collectStatus } from './status.ts';
import { storageOf } from './storage-report.ts';
import {
  type ConfigSources,
  conditionsOf,
  examineAndKeep,
  examinerOf,
  findingsOf,
  type Line,
  linesOf,
  STATES,
  type State,
  scopeOf,
  standsStill,
} from './system-checks.ts';

const PATH = '/admin/system';
const WORDS: Readonly<Record<State, string>> = {
  fail: 'Failed',
  warn: 'Warning',
  ok: 'OK',
  skip: 'Skipped',
  waits: 'Not run yet',
};
const TONES: Readonly<Record<State, string>> = {
  fail: 'bad',
  warn: 'warn',
  ok: 'ok',
  skip: 'muted',
  waits: 'muted',
};

const Query = later(() =>
  z.object({
    state: z.enum(STATES).or(z.literal('')).optional().catch(undefined),
    category: z.string().max(40).optional().catch(undefined),
  }),
);

/** How the installation is: what `appctl doctor`, `status` and `config show` tell, with repairs (admin.md 5.6). */
export function systemPage(instance: Instance, server: () => ServerStatus, sources: ConfigSources): Page {
  examineBy(instance.ctx, examinerOf(instance, sources));
  lookOutBy(instance.ctx, {
    server: serverName(instance),
    look: async (concern) => conditionsOf(await scopeOf(instance, sources), concern),
  });
  return pageOf(instance, server, sources);
}

const pageOf = (instance: Instance, server: () => ServerStatus, sources: ConfigSources): Page =>
  page({
    path: PATH,
    title: 'System',
    audience: { staff: 'system:read' },
    layout: PANEL,
    help: 'check-a-server',
    nav: { area: 'system', label: 'System', words: 'doctor health checks version backup disk', order: 10 },
    query: Query,
    form: later(() => z.object({ check: z.string().max(100), act: z.enum(['run', 'fix']) })),
    async show(ctx, { query }) {
      requireWholeInstallation(ctx);
      const scope = await scopeOf(instance, sources);
      const lines = await linesOf(scope);
      return shown({ ctx, instance, status: server(), sources }, lines, query, null);
    },
    async submit(ctx, { form: { check: id, act }, query }) {
      requireWholeInstallation(ctx);
      if (!allows(ctx.actor, 'system:write'))
        throw fail('INSUFFICIENT_SCOPE', 'Running and repairing checks needs the permission system:write');
      const asked = id === ALL ? checks : checks.filter((one) => one.id === id);
      if (asked.length === 0)
        throw refuseForm(`Check ${id} was not found. Choose one of the checks below.`, {}, 422);
      const due = await runnable(instance, asked);
      if (due.length === 0) {
        const command = `appctl doctor ${id}${act === 'fix' ? ' --fix' : ''}`;
        throw refuseForm(
          `Check ${id} takes minutes on a database of this size, and the server does not respond meanwhile. Run it in a terminal: ${command}`,
          {},
          422,
        );
      }
      const scope = await scopeOf(instance, sources);
      const found = await runAsked(ctx, due, scope, act === 'fix');
      const lines = await linesOf(scope, found);
      return shown({ ctx, instance, status: server(), sources }, lines, query, saidOf(found));
    },
  });

/** Without those that read a large database whole: a process of their own runs them. */
async function runnable({ database }: Instance, asked: readonly Check[]): Promise<readonly Check[]> {
  const stands = await standsStill(database);
  return asked.filter((check) => !(categoryOf(check) === 'db' && stands(check)));
}

/** In place of the id of one. */
const ALL = 'all';

/** Runs what was asked for; a repair is on record, whatever came of it. */
async function runAsked(
  ctx: Ctx,
  asked: readonly Check[],
  scope: CheckScope,
  isFix: boolean,
): Promise<readonly Examined[]> {
  const found: Examined[] = [];
  for (const check of asked) {
    const one = await examineAndKeep(ctx, check, scope, isFix);
    found.push(one);
    if (!isFix || !check.fix) continue;
    await ctx.tx((ctx) => checkEvents.tell(ctx, 'CHECK_REPAIRED', check.id, { status: one.status }));
  }
  return found;
}

const urgency = ({ status }: Line): number => (status === 'fail' ? 0 : status === 'warn' ? 1 : 2);

/** What came of what somebody asked for, in a sentence. */
function saidOf(found: readonly Examined[]): string {
  const [one] = found;
  if (!one || found.length > 1) return `${found.length} checks ran.`;
  return one.fixed ? `${one.id} was repaired.` : `${one.id}: ${WORDS[one.status]} after ${one.ms} ms.`;
}

interface Around {
  readonly ctx: Ctx;
  readonly instance: Instance;
  readonly status: ServerStatus;
  readonly sources: ConfigSources;
}

async function shown(
  { ctx, instance, status: server, sources }: Around,
  lines: readonly Line[],
  { state, category }: z.output<typeof Query>,
  said: string | null,
): Promise<Shown> {
  rememberFindings(ctx, findingsOf(lines), systemClock.monotonicMs());
  const status = await collectStatus(instance, server);
  return show('platform/system', {
    said,
    mayRun: allows(ctx.actor, 'system:write'),
    lines: lines
      .filter((one) => !state || one.status === state)
      .filter((one) => !category || (category === LAUNCH ? one.isForLaunch : one.category === category))
      // What is wrong comes first; the rest stays in its order.
      .sort((one, other) => urgency(one) - urgency(other))
      .map((one) => ({ ...one, word: one.fixed ? 'Repaired' : WORDS[one.status], tone: TONES[one.status] })),
    totals: STATES.map((one) => ({
      state: one,
      word: WORDS[one],
      count: lines.filter(({ status }) => status === one).length,
      isChosen: one === state,
    })).filter(({ count }) => count > 0),
    category: category ?? '',
    alerts: await alertsOf(ctx),
    categories: [LAUNCH, ...new Set(lines.map((one) => one.category))],
    status,
    node: process.version,
    upFor: lengthText(status.uptimeSec ?? 0),
    startedAt: localMinute(new Date(server.startedAt)),
    sizeMiB: (status.db.sizeBytes / 1_048_576).toFixed(1),
    storage: await storageOf(instance, status.db.sizeBytes),
    dataDir: instance.config.dataDir,
    configFile: sources.files.config,
    configuration: configurationOf(sources),
    mayReadAudit: allows(ctx.actor, 'audit:read'),
  });
}

const alertsOf = async (ctx: Ctx) =>
  (await listOpen(ctx)).map(({ title, message, hint, createdAt }) => ({
    title,
    message,
    hint,
    since: localMinute(new Date(createdAt)),
  }));

/** As `appctl config show --sources` prints it: secrets masked. */
const configurationOf = ({ entries }: ConfigSources) =>
  configTable.map(({ key }) => {
    const { value, source, name } = maskEntry(key, entries[key]);
    return {
      key,
      value: value === null ? '' : String(value),
      source: source === 'default' ? 'default' : name,
    };
  });
