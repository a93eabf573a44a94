import type { Section } from '../../admin/index.ts';
import type { FormField } from './fields.ts';

/** Fields under a heading as a form shows them; an empty title for a form without headings. */
export interface FormSection {
  readonly title: string;
  readonly help: string | null;
  readonly isRare: boolean;
  readonly fields: readonly FormField[];
}

/** The fields in their sections. What no section names comes last: a field that was added may be missed by nobody. */
export function formSections(
  fields: readonly FormField[],
  sections: readonly Section[] = [],
): readonly FormSection[] {
  const placed = sections.map(({ title, help, isRare, fields: names }) => ({
    title,
    help: help ?? null,
    isRare: isRare === true,
    fields: names.flatMap((name) => fields.filter((one) => one.name === name)),
  }));
  const named = new Set(sections.flatMap((one) => one.fields));
  const others = fields.filter(({ name }) => !named.has(name));
  const title = placed.length === 0 ? '' : 'More';
  const rest = { title, help: null, isRare: placed.length > 0, fields: others };
  return [...placed, rest].filter((one) => one.fields.length > 0);
}
