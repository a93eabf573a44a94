import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { perform, type View } from '../../admin/index.ts';
import { withChoices } from '../forms/choices.ts';
import type { FormField } from '../forms/fields.ts';
import { lazily } from '../forms/lazily.ts';
import { formSections } from '../forms/sections.ts';
import { spelled } from '../forms/spelled.ts';
import { bodyOf, rawForm } from '../forms/values.ts';
import type { Query } from './address.ts';
import { type BulkAction, bulkActionsOf } from './bulk-actions.ts';
import { COMMAND_PART, commandText, isForCommand, withoutSecrets } from './command.ts';
import { onceOf } from './form-pages.ts';
import { PANEL } from './list-page.ts';
import { addressOf, audienceOf, type Desk, keyOf, type Named } from './registry.ts';
import { sudoFirst } from './sudo.ts';
import { undoOfMany } from './undo.ts';

/** A rehearsal answers for so many rows at most. */
const MOST_REHEARSED = 1000;
const MOST_NAMED = 20;
const MOST_IN_A_COMMAND = 200;
/** Selected rows come as a field each. */
const FORM_BYTES = 512 * 1024;

/** What a form of a bulk run carries. */
interface Sent extends Record<string, unknown> {
  readonly action?: string;
  readonly ids: readonly string[];
  readonly all?: string;
  readonly filter?: string;
  readonly sure?: string;
  readonly _as?: string;
}

/** Asks before something is done with many rows, says what would become of them, and does it. */
export function bulkPage(desk: Desk): Page[] {
  const { ops, screen, labels, listParams } = desk;
  const { bulk } = ops;
  if (!bulk) return [];
  const form = lazily(() =>
    rawForm(inputsOf(desk), {
      action: z.string().max(100).optional(),
      ids: z.array(z.string().max(100)),
      all: z.string().max(10).optional(),
      filter: z.string().max(5000).optional(),
      sure: z.string().max(10).optional(),
      _as: z.string().max(10).optional(),
      _once: z.string().max(64).optional(),
    }),
  );
  return [
    page({
      path: `${screen.path}/bulk`,
      title: `Several ${labels.many}`,
      fragments: COMMAND_PART,
      audience: audienceOf(bulk),
      layout: PANEL,
      help: screen.empty.docs,
      params: listParams,
      get form() {
        return form();
      },
      formBytes: FORM_BYTES,
      // The form stands on the list: whoever reloads what it led to begins there.
      show: async (_ctx, { params }) => goTo(addressOf(desk, params as Named)),
      submit: (ctx, { params, form: sent, visitor }) =>
        run(desk, ctx, params as Named, sent as unknown as Sent, visitor),
    }),
  ];
}

/** The fields of all actions: which of them are asked for depends on the one that is chosen. */
function inputsOf(desk: Desk): readonly FormField[] {
  const everything = { actor: { kind: 'system', id: null, label: null } } as unknown as Ctx;
  const all = bulkActionsOf(desk, everything).flatMap(({ fields }) => fields);
  return [...new Map(all.map((field) => [field.name, field])).values()];
}

async function run(desk: Desk, ctx: Ctx, named: Named, sent: Sent, visitor: Visitor): Promise<Shown> {
  const list = addressOf(desk, named);
  const filter = Object.fromEntries(new URLSearchParams(sent.filter ?? ''));
  const back = sent.filter ? `${list}?${new URLSearchParams(filter)}` : list;
  const chosenAction = bulkActionsOf(desk, ctx).find(({ name }) => name === sent.action);
  if (!chosenAction) return goTo(back);
  const action = { ...chosenAction, fields: spelled(ctx, chosenAction.fields) };
  const isAll = sent.all === 'true';
  if (!isAll && sent.ids.length === 0)
    return show('panel/bulk-none', { labels: desk.labels, action, back }, { status: 400 });
  const first = sudoFirst(ctx, visitor, action.isSudo, back);
  if (first) return first;
  const chosen = isAll ? { filter } : { ids: sent.ids };
  const asked = { desk, ctx, named, action, chosen, sent, filter, back };
  if (sent.sure !== 'true' || isForCommand(sent)) return asking(asked);
  try {
    return await done(asked);
  } catch (error) {
    if (!(error instanceof AppError && error.status < 500)) throw error;
    return { ...((await asking(asked)) as Extract<Shown, { view: string }>), refused: error };
  }
}

interface Asked {
  readonly desk: Desk;
  readonly ctx: Ctx;
  readonly named: Named;
  readonly action: BulkAction;
  readonly chosen: { readonly filter: Query } | { readonly ids: readonly string[] };
  readonly sent: Sent;
  readonly filter: Query;
  readonly back: string;
}

/** What a run answered: of each row, or of the task that does it. */
interface Outcome {
  readonly results?: readonly { id: string; success: boolean; error?: { code: string; message: string } }[];
  readonly summary?: { readonly total: number; readonly succeeded: number; readonly failed: number };
  readonly task?: { readonly id: string; readonly total: number };
}

const performBulk = async (
  { desk, ctx, named, action, chosen, sent }: Asked,
  params: Record<string, unknown>,
  isRehearsal: boolean,
): Promise<Outcome> => {
  const { bulk } = desk.ops;
  const body = { action: action.name, ...chosen, params, ...(isRehearsal && { dryRun: true }) };
  const headers = isRehearsal ? {} : onceOf(sent);
  return (await perform(ctx, bulk as NonNullable<typeof bulk>, { params: named, body, headers }))
    .body as Outcome;
};

/** The page that asks, with what would become of the rows where that can be told. */
async function asking(asked: Asked): Promise<Shown> {
  const { desk, action, sent, chosen, filter, back } = asked;
  const total = await countOf(asked);
  const needsInput = action.fields.some(({ isRequired }) => isRequired);
  const isRehearsed = total <= MOST_REHEARSED && !needsInput;
  const outcome = isRehearsed ? await rehearsed(asked) : null;
  return show(
    'panel/bulk',
    {
      labels: desk.labels,
      action: addressOf(desk, asked.named, '/bulk'),
      chosen: action,
      sections: await withChoices(desk, asked.ctx, formSections(action.fields)),
      ids: 'ids' in chosen ? chosen.ids : [],
      isAll: sent.all === 'true',
      filter: new URLSearchParams(filter).toString(),
      total,
      outcome: outcome && summaryOf(outcome),
      back,
      command: await bulkCommand(asked, total),
      isCommandAsked: isForCommand(sent),
    },
    { values: isForCommand(sent) ? withoutSecrets(sent) : { _once: asked.ctx.newId('frm') } },
  );
}

async function countOf({ desk, ctx, named, chosen, filter }: Asked): Promise<number> {
  if ('ids' in chosen) return chosen.ids.length;
  const { list } = desk.ops;
  if (!list) return 0;
  const { body } = await perform(ctx, list, { params: named, query: { ...filter, limit: '1' } });
  return (body as { pagination?: { total: number } }).pagination?.total ?? 0;
}

/** What would become of the rows; null where that hangs on what is still to be filled in. */
async function rehearsed(asked: Asked): Promise<Outcome | null> {
  try {
    return await performBulk(asked, bodyOf(asked.action.fields, asked.sent), true);
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return null;
    throw error;
  }
}

/** The command that does the same; its lines name each row, so that not too many may match. */
async function bulkCommand(
  { desk, ctx, named, action, chosen, sent }: Asked,
  total: number,
): Promise<string | null> {
  const { list } = desk.ops;
  const input = bodyOf(action.fields, sent);
  const name = action.name === 'delete' ? 'remove' : action.name;
  if ('ids' in chosen) return commandText(desk, ctx, name, { named, input, keys: chosen.ids });
  if (!list || total > MOST_IN_A_COMMAND) return null;
  const query = { ...chosen.filter, limit: String(MOST_IN_A_COMMAND) };
  const { body } = await perform(ctx, list, { params: named, query });
  const keys = (body as { items: readonly View[] }).items.map((view) => keyOf(desk, view));
  return commandText(desk, ctx, name, { named, input, keys });
}

const summaryOf = ({ results = [], summary }: Outcome) => ({
  ...summary,
  refused: results.filter(({ success }) => !success).slice(0, MOST_NAMED),
});

async function done(asked: Asked): Promise<Shown> {
  const { desk, ctx, named, action, sent, back } = asked;
  const outcome = await performBulk(asked, paramsOf(action, sent), false);
  if (outcome.task) return goTo(`/admin/tasks/${outcome.task.id}`);
  const { results = [] } = outcome;
  const isWhole = results.every(({ success }) => success);
  return show('panel/bulk-done', {
    labels: desk.labels,
    chosen: action,
    outcome: summaryOf(outcome),
    undo: isWhole ? undoOfMany(desk, ctx, action.name, { named, ids: results.map(({ id }) => id) }) : null,
    back,
  });
}

function paramsOf({ fields, label }: BulkAction, sent: Sent): Record<string, unknown> {
  const params = bodyOf(fields, sent);
  const missing = fields.find(({ isRequired, name }) => isRequired && (params[name] ?? '') === '');
  if (missing) throw refuseForm(`${label} needs more`, { [missing.name]: 'is required' });
  return params;
}
