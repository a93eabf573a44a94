import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { perform, type View } from '../../admin/index.ts';
import { withChoices } from '../forms/choices.ts';
import { type FormField, fieldsOf } from '../forms/fields.ts';
import { lazily } from '../forms/lazily.ts';
import { formSections } from '../forms/sections.ts';
import { bodyOf, rawForm, type Texts, textsOf } from '../forms/values.ts';
import { AnyQuery, PANEL } from './list-page.ts';
import { addressOf, audienceOf, type Desk, itemAddress, itemPath, type Named, namedBy } from './registry.ts';
import { resultOf } from './result.ts';
import { sudoFirst } from './sudo.ts';
import { oneOf, titleOf } from './words.ts';

/** What every form of the panel carries beside its own fields. */
const BESIDE = {
  /** Of the first time that the form was shown: sent twice, it is done once. */
  _once: z.string().max(64).optional(),
  /** `updatedAt` of what was shown. */
  _at: z.string().max(40).optional(),
};

/** The page that makes an item. */
export function createPage(desk: Desk): Page[] {
  const { ops, screen, labels, listParams } = desk;
  const { create } = ops;
  const schema = ops.spec.create?.schema;
  if (!create || !schema) return [];
  const fields = lazily(() => fieldsOf(schema, screen));
  const form = lazily(() => rawForm(fields(), BESIDE));
  return [
    page({
      path: `${screen.path}/new`,
      title: `New ${labels.one}`,
      audience: audienceOf(create),
      layout: PANEL,
      help: screen.empty.docs,
      params: listParams,
      query: AnyQuery,
      get form() {
        return form();
      },
      formBytes: FORM_BYTES,
      async show(ctx, { params, visitor, query }) {
        const named = params as Named;
        const path = addressOf(desk, named, '/new');
        const first = sudoFirst(ctx, visitor, create.sudo === true, path);
        if (first) return first;
        const values = { ...textsOf(fields(), { ...screen.initial, ...query }), _once: ctx.newId('frm') };
        return show(
          'panel/form',
          {
            ...(await formModel(desk, ctx, 'create', fields())),
            heading: `New ${labels.one}`,
            summary: screen.empty.text,
            action: path,
            submit: `Create ${oneOf(labels.one)}`,
            cancel: addressOf(desk, named),
          },
          { values },
        );
      },
      async submit(ctx, { params, form: filled, visitor }) {
        const named = params as Named;
        const sent = filled as Record<string, unknown>;
        const first = sudoFirst(ctx, visitor, create.sudo === true, addressOf(desk, named, '/new'));
        if (first) return first;
        const making = { params: named, body: bodyOf(fields(), sent), headers: onceOf(sent) };
        return afterMaking(desk, named, (await perform(ctx, create, making)).body, 'create');
      },
    }),
  ];
}

/** Free objects and lists of rules are the largest that a form holds. */
const FORM_BYTES = 512 * 1024;

/** The item that was made, or what is shown this once beside it. */
function afterMaking(desk: Desk, named: Named, body: unknown, done: string): Shown {
  const { ops } = desk;
  const { [ops.twin.item]: item, ...beside } = body as Record<string, unknown>;
  const view = item as View;
  const address = ops.get ? itemAddress(desk, namedBy(desk, named, view)) : addressOf(desk, named);
  return resultOf(desk, { done, view, shown: beside, next: address }) ?? goTo(`${address}?done=${done}`);
}

/** A form that is sent twice by a nervous hand does its work once. */
export const onceOf = ({ _once: once }: Record<string, unknown>): Record<string, string> =>
  typeof once === 'string' && once !== '' ? { 'idempotency-key': once } : {};

const formModel = async (desk: Desk, ctx: Ctx, kind: 'create' | 'edit', fields: readonly FormField[]) => ({
  labels: desk.labels,
  sections: await withChoices(desk, ctx, formSections(fields, desk.screen.sections?.[kind])),
});

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
        return editShown(desk, ctx, fields(), named, view);
      },
      submit: (ctx, { params, form: sent, visitor }) =>
        saveChange(desk, fields(), ctx, {
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
      title: `Change ${titleOf(labels.one)}`,
    },
    { values: { ...before, _at: String(view.updatedAt ?? '') } },
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
  if (Object.keys(body).length === 0) return goTo(path);
  const unsure = await effectsFirst(desk, ctx, fields, named, { sent, before, body });
  if (unsure) return unsure;
  const at = typeof sent._at === 'string' && sent._at !== '' ? { 'if-match': `"${sent._at}"` } : {};
  try {
    const reply = await perform(ctx, change, { params: named, body, headers: at });
    return afterMaking(desk, named, reply.body, 'change');
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PRECONDITION_FAILED')) throw error;
    const { view } = await ops.find(ctx, named);
    return staleShown(desk, ctx, fields, named, { sent, before, view });
  }
}

/** A change of what others hang on says first what becomes of them; one that was changed again says it again. */
async function effectsFirst(
  desk: Desk,
  ctx: Ctx,
  fields: readonly FormField[],
  named: Named,
  { sent, before, body }: { sent: Record<string, unknown>; before: Texts; body: Record<string, unknown> },
): Promise<Shown | null> {
  const { ops } = desk;
  const { preview } = ops.spec.edit ?? {};
  const sure = JSON.stringify(body);
  if (!preview || sent.sure === sure) return null;
  const { view } = await ops.find(ctx, named);
  const effects = await preview(ctx, String(view.id), body as never);
  if (effects.length === 0) return null;
  const shown = (await editShown(desk, ctx, fields, named, view)) as Exclude<Shown, { redirect: string }>;
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
  const mine = (name: string) => sent[name] ?? '';
  const text = (value: unknown): string => [value].flat().join(', ');
  const differing = fields
    .filter(({ name }) => text(before[name]) !== text(now[name]) || text(before[name]) !== text(mine(name)))
    .map(({ name, label }) => ({
      label,
      was: text(before[name]),
      theirs: text(now[name]),
      mine: text(mine(name)),
    }));
  const shown = (await editShown(desk, ctx, fields, named, view)) as Exclude<Shown, { redirect: string }>;
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
