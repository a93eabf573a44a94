import { fail } from '#licensing/contract/errors.ts';

/** What an importer wants to know of a license, whatever its source calls it (licensing 6.11). */
export const FOREIGN_FIELDS = [
  'key',
  'customerEmail',
  'customerName',
  'product',
  'type',
  'tier',
  'status',
  'maxActivations',
  'validUntil',
  'maxUses',
  'currentUses',
  'features',
  'maxVersion',
  'policy',
  'orderId',
  'notes',
  'createdAt',
  'activations',
  'metadata',
] as const;
export type ForeignField = (typeof FOREIGN_FIELDS)[number];

/** Where a value goes: a field, or one entry of the metadata. */
export type Target = ForeignField | `metadata.${string}`;

/** Columns that `--map column=field` names, in their normal spelling. */
export type ColumnMap = ReadonlyMap<string, Target>;

/** Column names are the same in any case, with or without spaces, dots, underscores and hyphens. */
export const normalName = (name: string): string => name.toLowerCase().replaceAll(/[\s._-]/g, '');

/** Whether a text names a target of `--map`. */
export function readTarget(text: string): Target | null {
  const field = FOREIGN_FIELDS.find((known) => normalName(known) === normalName(text));
  if (field !== undefined) return field;
  const entry = /^metadata\.(.+)$/i.exec(text)?.[1];
  return entry === undefined ? null : `metadata.${entry}`;
}

/**
 * Reads the pairs of `--map column=field`.
 *
 * @throws AppError VALIDATION_ERROR for a field that does not exist
 */
export function readColumnMap(pairs: Readonly<Record<string, string>>): ColumnMap {
  const entries = Object.entries(pairs).map(([column, field]): [string, Target] => {
    const target = readTarget(field);
    if (target !== null) return [normalName(column), target];
    throw fail('VALIDATION_ERROR', `--map ${column}=${field}: unknown field ${field}`, {
      details: { hint: `one of: ${FOREIGN_FIELDS.join(', ')}, metadata.NAME` },
    });
  });
  return new Map(entries);
}
