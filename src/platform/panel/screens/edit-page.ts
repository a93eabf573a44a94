import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { perform, type View } from '../../admin/index.ts';
import { type FormField, fieldsOf } from '../forms/fields.ts';
import { lazily } from '../forms/lazily.ts';
import { spelled } from '../forms/spelled.ts';
import { bodyOf, rawForm, sentText, type Texts, textsOf } from '../forms/values.ts';
import { COMMAND_PART, commandText, isForCommand, withoutSecrets } from './command.ts';
import { afterMaking, BESIDE, FORM_BYTES, formModel } from './form-pages.ts';
import { PANEL } from './list-page.ts';
import { presenceHref } from './presence-page.ts';
import { audienceOf, type Desk, itemAddress, itemPath, keyOf, type Named } from './registry.ts';
import { sudoFirst } from './sudo.ts';
import { oneOf, titleOf } from './words.ts';

/** The page that changes an item. */
export function editPage(desk: Desk): Page[] {
  const { ops, screen, labels, itemParams } = desk;
  const { change } = ops;
  const schema = ops.spec.edit?.schema;
  if (!change || !schema) return [];
  const fields = lazily(() => fieldsOf(schema, screen, true));
  const form = lazily(() =>
    rawForm(fields(), {
      ...BESIDE,
      sure: z.string().optional(),
      ...Object.fromEntries(fields().map(({ name }) => [beforeName(name), z.array(z.string())])),
    }),
  );
  return [
    page({
      path: itemPath(desk, '/edit'),
      title: `Change ${oneOf(labels.one)}`,
      fragments: COMMAND_PART,
      audience: audienceOf(change),
      layout: PANEL,
      help: screen.empty.docs,
      params: itemParams,
      get form() {
        return form();
      },
      formBytes: FORM_BYTES,
      async show(ctx, { params, visitor }) {
        const named = params as Named;
        const path = itemAddress(desk, named, '/edit');
        const first = sudoFirst(ctx, visitor, change.sudo === true, path);
        if (first) return first;
        const { view } = await ops.find(ctx, named);
        return editShown(desk, ctx, spelled(ctx, fields()), named, view);
      },
      submit: (ctx, { params, form: sent, visitor }) =>
        saveChange(desk, spelled(ctx, fields()), ctx, {
          named: params as Named,
          sent: sent as Record<string, unknown>,
          visitor,
        }),
    }),
  ];
}

/** What a field showed first travels beside it, so that only what was changed is sent. */
const beforeName = (name: string): string => `was.${name}`;

async function editShown(
  desk: Desk,
  ctx: Ctx,
  fields: readonly FormField[],
  named: Named,
  view: View,
): Promise<Shown> {
  const { screen, labels } = desk;
  const path = itemAddress(desk, named);
  const before = beforeOf(desk, fields, view);
  return show(
    'panel/form',
    {
      ...(await formModel(desk, ctx, 'edit', fields)),
      heading: `Change ${screen.title(view)}`,
      summary: null,
      before: hiddenOf(before),
      action: `${path}/edit`,
      submit: 'Save',
      cancel: path,
      hereHref: presenceHref(desk, ctx, named),
      title: `Change ${titleOf(labels.one)}`,
      ...(screen.commands?.change && { command: null }),
      isCommandAsked: false,
    },
    { values: { ...before, _at: desk.ops.at(view) } },
  );
}

const hiddenOf = (before: Texts): readonly { name: string; value: string }[] =>
  Object.entries(before).flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name: beforeName(name), value: one })),
  );

const beforeOf = ({ screen }: Desk, fields: readonly FormField[], view: View): Texts =>
  textsOf(fields, screen.values ? screen.values(view) : view);

interface Saving {
  readonly named: Named;
  readonly sent: Record<string, unknown>;
  readonly visitor: Parameters<typeof sudoFirst>[1];
}

async function saveChange(
  desk: Desk,
  fields: readonly FormField[],
  ctx: Ctx,
  { named, sent, visitor }: Saving,
): Promise<Shown> {
  const { ops } = desk;
  const change = ops.change as NonNullable<typeof ops.change>;
  const path = itemAddress(desk, named);
  const first = sudoFirst(ctx, visitor, change.sudo === true, `${path}/edit`);
  if (first) return first;
  const before = sentBefore(fields, sent);
  const body = bodyOf(fields, sent, before);
  if (isForCommand(sent)) return changeCommand(desk, ctx, fields, { named, sent, before, body });
  if (Object.keys(body).length === 0) return goTo(path);
  const unsure = await effectsFirst(desk, ctx, fields, named, { sent, before, body });
  if (unsure) return unsure;
  const at = typeof sent._at === 'string' && sent._at !== '' ? { 'if-match': `"${sent._at}"` } : {};
  try {
    const reply = await perform(ctx, change, { params: named, body, headers: at });
    return await afterMaking(ctx, desk, { named, body: reply.body, done: 'change' });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PRECONDITION_FAILED')) throw error;
    const { view } = await ops.find(ctx, named);
    return staleShown(desk, ctx, fields, named, { sent, before, view });
  }
}

/** The form as it was sent, with the command that would save it. */
async function changeCommand(
  desk: Desk,
  ctx: Ctx,
  fields: readonly FormField[],
  { named, sent, before, body }: Effects & { readonly named: Named },
): Promise<Shown> {
  const { view } = await desk.ops.find(ctx, named);
  const shown = (await editShown(desk, ctx, fields, named, view)) as Extract<Shown, { view: string }>;
  const keys = [keyOf(desk, view)];
  const isUnchanged = Object.keys(body).length === 0;
  const command = isUnchanged ? null : await commandText(desk, ctx, 'change', { named, input: body, keys });
  return {
    ...shown,
    data: { ...shown.data, before: hiddenOf(before), command, isUnchanged, isCommandAsked: true },
    values: withoutSecrets(sent),
  };
}

/** What a change is about to do. */
interface Effects {
  readonly sent: Record<string, unknown>;
  readonly before: Texts;
  readonly body: Record<string, unknown>;
}

/** A change of what others hang on says first what becomes of them; one that was changed again says it again. */
async function effectsFirst(
  desk: Desk,
  ctx: Ctx,
  fields: readonly FormField[],
  named: Named,
  { sent, before, body }: Effects,
): Promise<Shown | null> {
  const { ops } = desk;
  const { preview } = ops.spec.edit ?? {};
  const sure = JSON.stringify(body);
  if (!preview || sent.sure === sure) return null;
  const { view } = await ops.find(ctx, named);
  const effects = await preview(ctx, String(view.id), body as never);
  if (effects.length === 0) return null;
  const shown = (await editShown(desk, ctx, fields, named, view)) as Extract<Shown, { view: string }>;
  return {
    ...shown,
    data: { ...shown.data, effects, before: hiddenOf(before), submit: 'Save with these effects' },
    values: { ...sent, sure },
  };
}

function sentBefore(fields: readonly FormField[], sent: Record<string, unknown>): Texts {
  const texts = fields.map(({ name, kind }) => {
    const values = (sent[beforeName(name)] ?? []) as string[];
    return [name, kind === 'checkboxes' ? values : (values[0] ?? '').replaceAll('\r\n', '\n')] as const;
  });
  return Object.fromEntries(texts);
}

/** Somebody else was faster: both versions, field by field, and the form again on top of the newer one (admin.md 2.2). */
async function staleShown(
  desk: Desk,
  ctx: Ctx,
  fields: readonly FormField[],
  named: Named,
  { sent, before, view }: { sent: Record<string, unknown>; before: Texts; view: View },
): Promise<Shown> {
  const now = beforeOf(desk, fields, view);
  const typed = Object.fromEntries(
    fields.map((field) => [field.name, sentText(field, sent, before[field.name])]),
  );
  const mine = (name: string) => typed[name] ?? '';
  const text = (value: unknown): string => [value].flat().join(', ');
  const differing = fields
    .filter(({ name }) => text(before[name]) !== text(now[name]) || text(before[name]) !== text(mine(name)))
    .map(({ name, label }) => ({
      label,
      was: text(before[name]),
      theirs: text(now[name]),
      mine: text(mine(name)),
    }));
  const shown = (await editShown(desk, ctx, fields, named, view)) as Extract<Shown, { view: string }>;
  // What was not touched here follows the newer version; what was stays as it was typed.
  const kept = fields.map(({ name }) => {
    const isMine = text(mine(name)) !== text(before[name]);
    return [name, isMine ? mine(name) : now[name]];
  });
  return {
    ...shown,
    data: { ...shown.data, stale: differing },
    values: { ...shown.values, ...Object.fromEntries(kept) },
    status: 409,
  };
}
