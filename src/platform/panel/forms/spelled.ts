import type { Ctx } from '#kernel/context.ts';
import type { FormField } from './fields.ts';

/** The fields of a form, each as it is typed in this installation: an amount in its currency. */
export const spelled = (ctx: Ctx, fields: readonly FormField[]): readonly FormField[] =>
  fields.some(({ spelling }) => spelling !== null) ? fields.map((field) => spelledOne(ctx, field)) : fields;

function spelledOne(ctx: Ctx, field: FormField): FormField {
  if (!field.spelling) return field;
  const written = field.spelling(ctx);
  const { placeholder } = field.attributes;
  return {
    ...field,
    written,
    label: `${field.label} (${written.unit})`,
    attributes: {
      // Several lines are no amount.
      ...(written.attributes ?? (field.kind === 'lines' ? {} : { inputmode: 'decimal', maxlength: 40 })),
      ...(placeholder !== undefined && { placeholder }),
    },
  };
}
