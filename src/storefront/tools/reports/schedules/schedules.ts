import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { isMailSent } from '#platform/mail/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { nextDue } from './due.ts';
import { scheduleEvents } from './events.ts';
import { lettersOf, queueLetters, reportReaders } from './mail.ts';
import { dueSchedules, scheduleRows } from './queries.ts';
import type { Schedule } from './record.ts';
import * as repo from './repository.ts';
import {
  ScheduleCreate,
  type ScheduleCreateInput,
  ScheduleUpdate,
  type ScheduleUpdateInput,
} from './schemas.ts';

const DEFAULT_HOUR = 7;

/** A report that is sent by email. @throws AppError NOT_FOUND */
export const getSchedule = async (ctx: Ctx, id: string): Promise<Schedule> =>
  (await scheduleRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `report schedule ${id} does not exist`);
}

const toldOf = ({ report, every, isOn }: Schedule) => ({ report, every, isOn });

/** Members of staff by their addresses. @throws AppError VALIDATION_ERROR for anybody else's */
async function idsOf(ctx: Ctx, addresses: readonly string[]): Promise<string[]> {
  const known = new Map((await reportReaders(ctx)).map(({ id, address }) => [address.toLowerCase(), id]));
  const found = addresses.map((address) => {
    const id = known.get(address.toLowerCase());
    if (id === undefined)
      throw invalidField('recipients', `${address} is not the address of a staff member who may see reports`);
    return id;
  });
  return [...new Set(found)];
}

const withNext = (ctx: Ctx, schedule: Schedule): Schedule => ({
  ...schedule,
  nextAt: schedule.isOn
    ? nextDue(schedule.every, schedule.hour, ctx.settings.get(timezone), ctx.now())
    : null,
});

/** Has a report sent to members of staff. @throws AppError VALIDATION_ERROR */
export async function create(ctx: Ctx, input: ScheduleCreateInput): Promise<Schedule> {
  const {
    recipients,
    hour = DEFAULT_HOUR,
    compare = null,
    isOn = true,
    ...said
  } = checkInput(ScheduleCreate, input);
  const now = ctx.now();
  const schedule = withNext(ctx, {
    ...said,
    id: ctx.newId(ids.reportSchedule),
    hour,
    compare,
    isOn,
    recipients: await idsOf(ctx, recipients),
    createdBy: ctx.actor.id,
    nextAt: null,
    sentAt: null,
    createdAt: now,
    updatedAt: now,
  });
  await ctx.tx(async (ctx) => {
    await repo.insertSchedule(ctx, schedule);
    await scheduleEvents.tell(ctx, 'report_schedule.created', schedule.id, toldOf(schedule), {
      after: schedule,
    });
  });
  return schedule;
}

/** Changes what is sent, when and to whom; stops it, and lets it go on. @throws AppError NOT_FOUND; VALIDATION_ERROR */
export async function change(ctx: Ctx, id: string, input: ScheduleUpdateInput): Promise<Schedule> {
  const { recipients, ...sent } = sentFields(checkInput(ScheduleUpdate, input));
  const chosen = recipients && (await idsOf(ctx, recipients));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockSchedule(ctx, id)) ?? missing(id);
    const wanted: Schedule = { ...before, ...sent, ...(chosen && { recipients: chosen }) };
    if (JSON.stringify(wanted) === JSON.stringify(before)) return before;
    const after = withNext(ctx, { ...wanted, updatedAt: ctx.now() });
    await repo.updateSchedule(ctx, after);
    await scheduleEvents.tell(ctx, 'report_schedule.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockSchedule(ctx, id)) ?? missing(id);
    await repo.deleteSchedule(ctx, id);
    await scheduleEvents.tell(ctx, 'report_schedule.deleted', id, toldOf(before), { before });
  });
}

/**
 * Sends a report at once; its times stay as they are.
 *
 * @throws AppError NOT_FOUND; CONFLICT where nobody would get it
 */
export async function sendNow(ctx: Ctx, id: string): Promise<Schedule> {
  const letters = await lettersOf(ctx, await getSchedule(ctx, id));
  if (letters === null)
    throw fail(
      'CONFLICT',
      (await isMailSent(ctx))
        ? 'none of its recipients may see reports anymore'
        : 'the shop sends no email yet: set up a mail server under Settings > Email',
    );
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockSchedule(ctx, id)) ?? missing(id);
    const emails = await queueLetters(ctx, before, letters, ctx.newId(ids.reportSchedule));
    const after = { ...before, sentAt: ctx.now() };
    await repo.updateSchedule(ctx, after);
    const { report } = before;
    await scheduleEvents.tell(ctx, 'report_schedule.sent', id, { report, emails }, { before, after });
    return after;
  });
}

/**
 * Sends the reports whose time has come. What was missed while no server ran is sent once, about the days before today:
 * older ones are on the pages.
 */
export async function sendDue(ctx: Ctx): Promise<{ sent: number }> {
  let sent = 0;
  for (const schedule of await dueSchedules(ctx)) {
    const letters = await lettersOf(ctx, schedule);
    sent += await ctx.tx(async (ctx) => {
      const now = await repo.lockSchedule(ctx, schedule.id);
      // Somebody else has sent it, or it was changed meanwhile.
      if (now === null || now.nextAt === null || now.nextAt !== schedule.nextAt) return 0;
      const next = withNext(ctx, now);
      await repo.updateSchedule(ctx, letters === null ? next : { ...next, sentAt: ctx.now() });
      return letters === null ? 0 : queueLetters(ctx, now, letters, now.nextAt);
    });
  }
  return { sent };
}
