import type { Ctx } from '#kernel/context.ts';
import type { Pairs } from '../../admin/index.ts';
import { type Desk, keyOf, mayDo } from '../screens/registry.ts';
import type { FormField } from './fields.ts';
import type { FormSection } from './sections.ts';

/** Longer lists are searched by typing. */
const MOST_OFFERED = 50;
const FIRST = { offset: 0, limit: MOST_OFFERED };

/** Items of another resource by the name that operations accept. */
export interface Choices {
  readonly options: FormField['options'];
  /** There are no others. */
  readonly isComplete: boolean;
}

/**
 * The first items of a resource that somebody may see, for a field or a filter that names one.
 *
 * @param name of the resource
 * @param by field of its view that names an item; null for the name that paths have
 * @param ofMany what is offered where there are more than fit: the first of them, or none
 * @returns null where nothing can be offered: the list is below another thing, or not for this person
 */
export async function choicesOf(
  { others }: Desk,
  ctx: Ctx,
  name: string,
  by: string | null = null,
  ofMany: 'first' | 'none' = 'first',
): Promise<Choices | null> {
  const desk = others(name);
  if (!desk?.ops.list || desk.screen.path.includes('{') || !mayDo(ctx.actor, desk.ops.list)) return null;
  const { spec, brief } = desk.ops;
  const all = await spec.rows.few(ctx, MOST_OFFERED);
  const rows = all ?? (ofMany === 'none' ? [] : (await spec.rows.page(ctx, FIRST)).items);
  return {
    options: (await brief(ctx, rows)).map((view) => ({
      value: by === null ? keyOf(desk, view) : String(view[by]),
      label: desk.screen.title(view),
    })),
    isComplete: all !== null,
  };
}

/** The sections of a form, with what its fields may name. */
export function withChoices(
  desk: Desk,
  ctx: Ctx,
  sections: readonly FormSection[],
): Promise<readonly FormSection[]> {
  return Promise.all(
    sections.map(async (section) => ({
      ...section,
      fields: await Promise.all(section.fields.map((field) => offered(desk, ctx, field))),
    })),
  );
}

async function offered(desk: Desk, ctx: Ctx, field: FormField): Promise<FormField> {
  if (field.pairs) return offeredPairs(desk, ctx, field, field.pairs);
  if (field.suggest) {
    const values = await field.suggest(ctx);
    return { ...field, options: values.map((value) => ({ value, label: value })) };
  }
  if (field.of === null || field.kind === 'hidden') return field;
  const choices = await choicesOf(desk, ctx, field.of, field.by);
  if (!choices) return field;
  const { options, isComplete } = choices;
  const offers = isComplete && options.length > 0 ? 'all' : 'some';
  if (field.kind === 'checkboxes' || offers === 'some') return { ...field, options, offers };
  const nothing = { value: '', label: field.isRequired ? 'Choose' : 'None' };
  return { ...field, kind: 'select', attributes: {}, options: [nothing, ...options], offers };
}

/** What there is of each kind, with its kind before its name. */
async function offeredPairs(desk: Desk, ctx: Ctx, field: FormField, { of }: Pairs): Promise<FormField> {
  const kinds = await Promise.all(
    Object.entries(of).map(async ([kind, { resource, label }]) => {
      const choices = await choicesOf(desk, ctx, resource, 'id');
      const options = choices?.options ?? [];
      return {
        isComplete: choices?.isComplete === true,
        options: options.map((one) => ({ value: `${kind} ${one.value}`, label: `${label}: ${one.label}` })),
      };
    }),
  );
  const offers = kinds.every(({ isComplete }) => isComplete) ? 'all' : 'some';
  return { ...field, options: kinds.flatMap(({ options }) => options), offers };
}
