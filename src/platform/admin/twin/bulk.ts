import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, flag, oneOf, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { later } from '#kernel/sharing.ts';
import { NoBody, noting } from '../fields.ts';
import type { Form, How, ResourceSpec } from '../resource.ts';
import { seesWholeInstallation } from '../whole-installation.ts';
import { type Frame, impliedBy, namedAbove, required } from './frame.ts';
import { headersOf, keyed } from './keyed.ts';
import { askedBy, narrowing } from './reading.ts';

/** A run that waits for its end takes so many rows at most; what is asked to be rehearsed does too (admin.md 1). */
const MOST_AT_ONCE = 1000;
/** From here on a run is a task, unless it is asked to wait. */
const MOST_ANSWERED = 200;

const MOST_NUMBER = 1_000_000_000;

/** The schema of the action judges them further; lists of ids are the longest that one takes. */
const PARAMS = { maxKeys: 50, maxKeyLength: 100, maxValueLength: 100_000 };

/** The only field of an action in short, as a text or a number. */
const ShortValue = z.union([text({ max: 1000 }), z.number().min(-MOST_NUMBER).max(MOST_NUMBER)]);

/** What a bulk run can do with one row. */
interface BulkAction {
  readonly needs: string;
  readonly input: Form;
  /** One by one it asks a person for the password again, and so it does for many. */
  readonly sudo?: true | undefined;
  run(ctx: Ctx, id: string, input: unknown, how: How): Promise<unknown>;
}

const Started = later(() =>
  z.object({ task: z.object({ id: z.string(), total: count() }) }).meta({ id: 'BulkStarted' }),
);

/** One action on many rows, by their ids or by the filters of the list (admin.md 1, 2). */
export function bulkOf<Row extends object>(frame: Frame<Row>): Endpoint[] {
  const { spec, twin, manner, naming, collection, collectionParams } = frame;
  const actions = Object.fromEntries(
    Object.entries(actionsOf(spec)).map(([name, one]) => [manner.spell(name), one]),
  );
  const names = Object.keys(actions);
  if (names.length === 0 || twin.without?.includes('bulk')) return [];
  let asking: ReturnType<typeof askedOf<Row>> | undefined;
  const schema = () => (asking ??= askedOf(frame, names));
  const at = { method: 'post', path: `${collection}/bulk` } as const;
  const handle: Endpoint['handle'] = async (ctx, { params, body }) => {
    const split = manner.split(schema(), body as Record<string, unknown>, {});
    const asked = split.input as z.output<ReturnType<typeof schema>>;
    const { note } = split.how;
    const chosen = chosenAction(ctx, actions, asked.action);
    const wantsNote = 'note' in chosen.input.shape && note !== undefined;
    const sent = { ...asked.params, ...onlyField(chosen.input, asked.value) };
    const input = checkInput(chosen.input, { ...sent, ...(wantsNote && { note }) });
    const named = namedAbove(params);
    const within = await impliedBy(frame, ctx, named);
    const ids = await chosenIds(frame, ctx, asked, within);
    const how = { named, note: note ?? (input.note as string | undefined) };
    const work = (ctx: Ctx, id: string) => chosen.run(ctx, id, input, how);
    return answer(frame, noting(ctx, how), { ids, within, work, asked });
  };
  return [
    endpoint({
      ...at,
      summary:
        twin.summaries?.bulk ??
        `Run an action on many ${spec.labels.many}, by ids or by filter; beyond ${MOST_ANSWERED} rows as a task`,
      scope: required(spec.needs.write ?? spec.needs.remove, 'change', spec),
      limit: null,
      ...(collectionParams && { params: collectionParams }),
      ...sudoOf(actions),
      headers: () => headersOf(undefined, true),
      body: () => manner.body(schema(), false).meta({ id: `${naming.type}BulkBody` }),
      replies: () => ({ 200: manner.bulkDone, 202: manner.other(Started) }),
      errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
      handle: keyed(at, handle),
    }),
  ];
}

/** What a bulk run is asked with: the rows, by ids or by filter, and one of the actions. */
const askedOf = <Row extends object>(frame: Frame<Row>, names: readonly string[]) =>
  z.strictObject({
    action: oneOf(names as unknown as [string, ...string[]]),
    ids: optional(
      z
        .array(text({ min: 1, max: 64 }))
        .min(1)
        .max(frame.manner.mostIds),
    ),
    filter: optional(z.strictObject(narrowing(frame))),
    params: optional(jsonObject(PARAMS)),
    value: ShortValue.optional(),
    dryRun: optional(flag()),
    wait: optional(flag()),
  });

const checks = (schema: z.ZodType, value: unknown): boolean => z.safeParse(schema, value).success;

/** The only field of an action, by what `value` says in place of `params`. @throws AppError VALIDATION_ERROR */
function onlyField({ shape }: Form, value: string | number | undefined): Record<string, unknown> {
  if (value === undefined) return {};
  const [name, ...more] = Object.keys(shape).filter((one) => one !== 'note');
  if (name === undefined || more.length > 0)
    throw invalidField('value', name === undefined ? 'is not for this action' : 'list the fields in params');
  const isNumber = checks(shape[name] as z.ZodType, value);
  return { [name]: isNumber ? value : String(value) };
}

function actionsOf<Row extends object>({ actions = {}, remove, needs, name }: ResourceSpec<Row>) {
  const several = Object.entries(actions).filter(([, { where }]) => where === 'both' || where === 'bulk');
  const all: Record<string, BulkAction> = Object.fromEntries(
    several.map(([word, { needs, input, sudo, run }]) => [
      word,
      { needs, sudo, input: input ?? NoBody, run: run as BulkAction['run'] },
    ]),
  );
  if (!remove?.isBulk) return all;
  return {
    ...all,
    delete: {
      needs: required(needs.remove ?? needs.write, 'remove', { name }),
      sudo: remove.sudo,
      input: remove.input ?? NoBody,
      run: (ctx: Ctx, id: string, input: unknown, how: How) => remove.run(ctx, id, how, input),
    },
  };
}

/** Whether the password is asked for depends on the action that the body names. */
function sudoOf(actions: Record<string, BulkAction>): Pick<Endpoint, 'sudoFor'> {
  if (!Object.values(actions).some(({ sudo }) => sudo)) return {};
  const named = (body: unknown): string => String((body as { action?: unknown } | null)?.action);
  return { sudoFor: (body) => Object.hasOwn(actions, named(body)) && actions[named(body)]?.sudo === true };
}

/** The endpoint asks for the right to change; an action may ask for more. */
function chosenAction(ctx: Ctx, actions: Record<string, BulkAction>, name: string): BulkAction {
  const chosen = actions[name] as BulkAction;
  if (allows(ctx.actor, chosen.needs)) return chosen;
  throw fail('INSUFFICIENT_SCOPE', `This needs the permission ${chosen.needs}`, {
    details: { required: chosen.needs },
  });
}

async function chosenIds<Row extends object>(
  frame: Frame<Row>,
  ctx: Ctx,
  { ids, filter }: { ids?: string[] | undefined; filter?: Record<string, unknown> | undefined },
  implied: Record<string, unknown>,
): Promise<string[]> {
  if ((ids === undefined) === (filter === undefined))
    throw invalidField('ids', 'either ids or filter is needed');
  if (ids) return [...new Set(ids)];
  return frame.spec.rows.ids(ctx, askedBy(frame, filter ?? {}, implied));
}

async function answer<Row extends object>(
  { spec, manner }: Frame<Row>,
  ctx: Ctx,
  {
    ids,
    within,
    work,
    asked,
  }: {
    ids: string[];
    within: Record<string, unknown>;
    work: (ctx: Ctx, id: string) => Promise<unknown>;
    asked: { action: string; dryRun?: boolean | undefined; wait?: boolean | undefined };
  },
) {
  const isRehearsal = asked.dryRun ?? false;
  const run = { ids, isRehearsal, isVisible: visibility(spec, within), work };
  if (ids.length <= MOST_ANSWERED || asked.wait || isRehearsal) {
    if (ids.length > MOST_AT_ONCE)
      throw invalidField(
        isRehearsal ? 'dryRun' : 'wait',
        `takes at most ${MOST_AT_ONCE} rows, not ${ids.length}`,
      );
    const { runEach } = await import('../bulk.ts');
    return ok(manner.bulkBody(await runEach(ctx, run)));
  }
  const kind = `${asked.action} ${spec.labels.many}`;
  // Loaded for it alone: every short command that names a resource loads this file.
  const [{ startTask }, { runEach }] = await Promise.all([
    import('#kernel/jobs/task.ts'),
    import('../bulk.ts'),
  ]);
  // Who sees one tenant has chosen rows of that one, and reads the report of them.
  const allTenants = seesWholeInstallation(ctx.actor);
  const params = { rows: ids.length, ...(spec.ofInstallation && { allTenants }) };
  const task = await startTask(ctx, { kind, params }, ({ progress }) => runEach(ctx, { ...run, progress }));
  return { status: 202, body: manner.otherBody({ task: { id: task.id, total: ids.length } }) };
}

/** What the actor may not see, and what is in another collection, is unknown, whatever the use case would do with its id. */
const visibility =
  <Row extends object>({ rows }: ResourceSpec<Row>, within: Record<string, unknown>) =>
  async (ctx: Ctx, id: string): Promise<boolean> =>
    (await rows.find(ctx, id, within)) !== null;
